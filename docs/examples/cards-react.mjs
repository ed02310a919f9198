// A card and a live view as React components, for React 18 and later: properties of custom elements are set by a ref,
// events are listened for by it. No JSX, so that it runs as it is.
import { createElement, useEffect, useRef } from 'react';
import '@porthole/elements';

/** Shows a card of `tools/run`; `null` is waiting. */
export function Card({ card, waiting, onRetry }) {
  const element = useRef(null);
  useEffect(() => {
    element.current.card = card;
  }, [card]);
  useEffect(() => {
    const shown = element.current;
    shown.addEventListener('porthole-retry', onRetry);
    return () => shown.removeEventListener('porthole-retry', onRetry);
  }, [onRetry]);
  return createElement('porthole-card', { ref: element, waiting });
}

/** Shows a session live; `link` is the `url` of `session/viewer`. */
export function LiveView({ link, renew }) {
  const element = useRef(null);
  useEffect(() => {
    element.current.renew = renew;
    element.current.src = link;
  }, [link, renew]);
  return createElement('porthole-live-view', { ref: element });
}
