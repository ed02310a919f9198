// `<porthole-live-view>`: a session as its agent sees it.

/** Attributes: `src`, `theme` (`light`, `dark`, `inherit`). */
export declare class LiveView extends HTMLElement {
  /** The viewer's link, `https://worker/live#ticket=…`. Setting it connects. */
  src: string;
  /** `idle`, `connecting`, `connected`, `browser_starting`, `streaming`, `paused`, `browser_closed`, `reconnecting`, `expired`, `gone`, `ended`, `full`, `refused`, `closed`. */
  readonly status: string;
  /** Reads the page as text for people who can't see the picture: the tree of `session/snapshot`. */
  snapshotReader: (() => Promise<string>) | null;
  /** Returns a new link when the one there is has expired. */
  renew: (() => Promise<string | null>) | null;
  takeControl(): void;
  releaseControl(): void;
}
