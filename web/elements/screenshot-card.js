// <porthole-screenshot-card>: a page's picture, which can be enlarged, copied and downloaded.
import { CardElement } from './base-card.js';
import { copyPicture, download, fileName } from './clipboard.js';
import { button, make } from './dom.js';
import { pictureFile, show } from './picture.js';

export class ScreenshotCard extends CardElement {
  static type = 'browser-screenshot';

  _kind() {
    return 'Screenshot';
  }

  /** @param {any} data */
  _content(data) {
    const file = pictureFile(data.image_base64, data.mime_type);
    const place = make('div', { class: 'picture' });
    const said = make('span', { class: 'said', role: 'status' });
    /** @type {HTMLCanvasElement | null} */
    let canvas = null;
    const copy = button('Copy', 'copy', async () => {
      said.textContent = canvas && (await copyPicture(canvas)) ? 'Copied' : 'Can’t be copied here: download it';
    }, { shown: true, attributes: { class: 'quiet', disabled: true } });
    const extension = data.mime_type === 'image/jpeg' ? 'jpg' : data.mime_type === 'image/webp' ? 'webp' : 'png';
    const save = button('Download', 'download', () => {
      if (file) download(file, fileName(data.final_url || data.url, extension));
    }, { shown: true, attributes: { class: 'quiet', disabled: true } });
    void show(place, file, this._name(), /** @type {ShadowRoot} */ (this.shadowRoot)).then((drawn) => {
      canvas = drawn;
      copy.disabled = save.disabled = drawn === null;
      this.dispatchEvent(new CustomEvent('porthole-shown', { detail: { drawn: drawn !== null }, bubbles: true, composed: true }));
    });
    const size = Number.isInteger(data.width) && Number.isInteger(data.height) ? `${data.width} × ${data.height}` : '';
    return [
      this._head(data, size),
      place,
      ...this._notes(data, 'The page continues below the picture.'),
      make('div', { class: 'tools' }, copy, save, said),
    ];
  }
}
