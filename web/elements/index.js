// Defines all elements. An app imports this module, or one element's own.
import { AnyCard } from './card.js';
import { phoneViewport } from './device.js';
import { ExtractCard } from './extract-card.js';
import { LiveView } from './live-view.js';
import { ScreenshotCard } from './screenshot-card.js';
import { SessionCard } from './session-card.js';

const ELEMENTS = {
  'porthole-screenshot-card': ScreenshotCard,
  'porthole-extract-card': ExtractCard,
  'porthole-session-card': SessionCard,
  'porthole-card': AnyCard,
};

for (const [name, element] of Object.entries(ELEMENTS)) {
  if (!customElements.get(name)) customElements.define(name, element);
}

export { AnyCard, ExtractCard, LiveView, ScreenshotCard, SessionCard, phoneViewport };
