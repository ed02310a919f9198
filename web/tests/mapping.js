// The mapping of stage and page: vectors, and laws that hold at every size.
import { ZOOM_MAX, panBy, pictureBox, toPage, toStage, zoomAt } from '../elements/live/mapping.js';
import { assert, equal, runAll, test } from './harness.js';

/** @param {number} width @param {number} height */
const size = (width, height) => ({ width, height });
const near = (/** @type {number} */ a, /** @type {number} */ b) => Math.abs(a - b) < 1e-6;

// stage, page, point on the stage, expected point on the page, inside. Computed by hand.
/** @type {[string, any, any, [number, number], [number, number], boolean][]} */
const VECTORS = [
  ['the same shape, the same size', size(1280, 720), size(1280, 720), [640, 360], [640, 360], true],
  ['the same shape, half the size', size(640, 360), size(1280, 720), [160, 90], [320, 180], true],
  ['bars left and right: the middle', size(1000, 400), size(400, 400), [500, 200], [200, 200], true],
  ['bars left and right: the left bar', size(1000, 400), size(400, 400), [299, 200], [0, 200], false],
  ['bars left and right: the picture’s first pixel', size(1000, 400), size(400, 400), [300, 0], [0, 0], true],
  ['bars left and right: the right bar', size(1000, 400), size(400, 400), [700, 399], [399, 399], false],
  ['bars left and right: a smaller page is enlarged', size(1000, 400), size(200, 200), [400, 100], [50, 50], true],
  ['bars above and below: the middle', size(400, 1000), size(800, 400), [200, 500], [400, 200], true],
  ['bars above and below: the upper bar', size(400, 1000), size(800, 400), [200, 399], [400, 0], false],
  ['bars above and below: the first row', size(400, 1000), size(800, 400), [0, 400], [0, 0], true],
  ['bars above and below: the lower bar', size(400, 1000), size(800, 400), [100, 700], [200, 399], false],
  ['bars above and below: one row before the bar', size(400, 1000), size(800, 400), [0, 599.5], [0, 399], true],
  ['a phone in portrait, a desktop page', size(390, 600), size(1280, 720), [195, 300], [640, 360], true],
  ['a phone in portrait, a desktop page: above the picture', size(390, 600), size(1280, 720), [195, 100], [640, 0], false],
  ['320 px wide', size(320, 240), size(1280, 720), [320, 210], [1279, 719], false],
  ['4K stage, phone page', size(3840, 2160), size(390, 844), [1920, 1080], [195, 422], true],
  ['4K stage, phone page: far left', size(3840, 2160), size(390, 844), [10, 1080], [0, 422], false],
  ['a fraction of a pixel', size(333.3, 111.1), size(1000, 333.3), [166.65, 55.55], [500, 166.65], true],
  ['no stage', size(0, 300), size(1280, 720), [5, 5], [0, 0], false],
  ['no page yet', size(300, 300), size(0, 0), [5, 5], [0, 0], false],
];

for (const [name, stage, page, [x, y], [pageX, pageY], inside] of VECTORS) {
  test(`vector: ${name}`, () => {
    const found = toPage(pictureBox(stage, page), page, { x, y });
    assert(near(found.x, pageX) && near(found.y, pageY), `${JSON.stringify(found)} is not ${pageX}, ${pageY}`);
    equal(found.inside, inside, 'inside');
  });
}

const STAGES = [size(320, 240), size(390, 844), size(1000, 400), size(400, 1000), size(1280, 720), size(3840, 2160), size(777.5, 333.25)];
const PAGES = [size(1280, 720), size(390, 844), size(1920, 1080), size(300, 300), size(1, 4000)];

test('the picture keeps its shape and lies in the middle', () => {
  for (const stage of STAGES) {
    for (const page of PAGES) {
      const box = pictureBox(stage, page);
      assert(near(box.width / box.height, page.width / page.height), 'the shape');
      assert(near(box.x * 2 + box.width, stage.width) && near(box.y * 2 + box.height, stage.height), 'the middle');
      assert(box.width <= stage.width + 1e-6 && box.height <= stage.height + 1e-6, 'within the stage');
      assert(near(box.width, stage.width) || near(box.height, stage.height), 'as large as can be');
    }
  }
});

test('there and back is where one was, at every zoom and pan', () => {
  for (const stage of STAGES) {
    for (const page of PAGES) {
      for (const view of [{ zoom: 1, panX: 0, panY: 0 }, { zoom: 2.5, panX: 40, panY: -70 }, { zoom: ZOOM_MAX, panX: -9e9, panY: 9e9 }]) {
        const box = pictureBox(stage, page, view);
        for (const [x, y] of [[0, 0], [page.width / 2, page.height / 3], [page.width * 0.999, page.height * 0.999]]) {
          const on = toStage(box, page, { x, y, width: 0, height: 0 });
          const back = toPage(box, page, on);
          assert(Math.abs(back.x - x) < 1e-4 && Math.abs(back.y - y) < 1e-4, `${JSON.stringify({ stage, page, view, x, y, back })}`);
        }
      }
    }
  }
});

test('magnifying keeps the point under the fingers', () => {
  const [stage, page] = [size(390, 600), size(1280, 720)];
  let view = { zoom: 1, panX: 0, panY: 0 };
  const point = { x: 195, y: 300 };
  const before = toPage(pictureBox(stage, page, view), page, point);
  for (const factor of [1.3, 1.3, 1.7, 0.9]) view = zoomAt(stage, page, view, point, factor);
  const after = toPage(pictureBox(stage, page, view), page, point);
  assert(near(before.x, after.x) && near(before.y, after.y), JSON.stringify({ before, after }));
  const beside = { x: 300, y: 320 };
  const was = toPage(pictureBox(stage, page, view), page, beside);
  view = zoomAt(stage, page, view, beside, 1.4);
  const is = toPage(pictureBox(stage, page, view), page, beside);
  assert(near(was.x, is.x), JSON.stringify({ was, is }));
});

test('a magnified picture covers what it can of the stage, and never leaves it', () => {
  const [stage, page] = [size(400, 400), size(800, 400)];
  let view = zoomAt(stage, page, { zoom: 1, panX: 0, panY: 0 }, { x: 0, y: 200 }, 4);
  equal(view.zoom, 4);
  view = panBy(stage, page, view, 1e6, -1e6);
  const box = pictureBox(stage, page, view);
  assert(near(box.x, 0), `the left edge is at ${box.x}`);
  assert(near(box.y + box.height, 400), `the lower edge is at ${box.y + box.height}`);
  equal(zoomAt(stage, page, view, { x: 0, y: 0 }, 1e-9), { zoom: 1, panX: 0, panY: 0 }, 'zoomed out');
  equal(zoomAt(stage, page, view, { x: 0, y: 0 }, 1e9).zoom, ZOOM_MAX, 'zoomed in');
});

test('a box of the page is where its corners are', () => {
  const [stage, page] = [size(1000, 400), size(400, 400)];
  equal(toStage(pictureBox(stage, page), page, { x: 100, y: 50, width: 20, height: 10 }), { x: 400, y: 50, width: 20, height: 10 });
});

await runAll();
