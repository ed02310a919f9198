// What an app sees of the elements: their properties, attributes and events.

import type { LiveView } from './live-view.js';
import type { BrowserCard, ExtractCardData, ScreenshotCardData, SessionCardData } from './types.js';

export type * from './types.js';
export { LiveView };

/** What all cards share. A card waits while `card` is null. */
declare class CardElement<Shown> extends HTMLElement {
  card: Shown | null;
  readonly state: 'waiting' | 'done' | 'error';
  /** Of a session's card: returns a new link where that of the live view has expired. Set it before `card`. */
  renew: (() => Promise<string | null>) | null;
  /** Of a session's card: reads the page as text for people who can't see it. Set it before `card`. */
  snapshotReader: (() => Promise<string>) | null;
}

/** `<porthole-card>`: any card. Attributes: `waiting` (what is waited for), `theme` (`light`, `dark`, `inherit`). */
export declare class AnyCard extends CardElement<BrowserCard> {}
/** `<porthole-screenshot-card>`. */
export declare class ScreenshotCard extends CardElement<{ type: 'browser-screenshot'; data: ScreenshotCardData }> {}
/** `<porthole-extract-card>`. */
export declare class ExtractCard extends CardElement<{ type: 'browser-extract'; data: ExtractCardData }> {}
/** `<porthole-session-card>`. */
export declare class SessionCard extends CardElement<{ type: 'browser-session'; data: SessionCardData }> {}

/**
 * The `viewport` to ask for, so that a page's picture fits this phone's screen; null on larger screens, where the default
 * fits. `height` is the part of the window that the picture gets, in CSS pixels.
 */
export declare function phoneViewport(height?: number): { width: number; height: number; mobile: boolean; device_scale_factor: number } | null;

declare global {
  interface HTMLElementTagNameMap {
    'porthole-card': AnyCard;
    'porthole-screenshot-card': ScreenshotCard;
    'porthole-extract-card': ExtractCard;
    'porthole-session-card': SessionCard;
    'porthole-live-view': LiveView;
  }
  interface HTMLElementEventMap {
    /** A person asks for another try. `preventDefault` leaves the card as it is; otherwise it waits. */
    'porthole-retry': CustomEvent<{ card: BrowserCard }>;
    /** A picture was drawn, or could not be. */
    'porthole-shown': CustomEvent<{ drawn: boolean }>;
    'porthole-status': CustomEvent<{ status: string }>;
    'porthole-navigated': CustomEvent<{ url: string; title: string }>;
    'porthole-control': CustomEvent<{ holder: 'none' | 'agent' | 'viewer'; you: boolean }>;
    'porthole-action': CustomEvent<{ sentence: string }>;
    'porthole-copied': CustomEvent<{ text: string; kept: boolean }>;
  }
}
