// Runs in each document as it begins. Once the document is loaded, the images in view are decoded (lazy ones as soon
// as they are in view), so that no capture waits for them; decoded images are remembered. An ended animation leaves
// its last style and is removed, since a finished one is now and then still drawn at its start (tried).
(() => {
  const decoded = new WeakSet();
  const undecoded = () => {
    const found = [];
    for (const image of document.images) {
      if (decoded.has(image)) continue;
      const box = image.getBoundingClientRect();
      const inView = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
      if (inView && !(image.loading === 'lazy' && !image.complete && box.width * box.height === 0)) found.push(image);
      if (found.length > 200) break;
    }
    return found;
  };
  const decode = () => Promise.all([document.fonts?.ready, ...undecoded().map(image => {
    const source = image.currentSrc;
    return image.decode().catch(() => null).then(() => { if (image.currentSrc === source) decoded.add(image); });
  })]);
  const end = animation => {
    animation.finish();
    if (animation instanceof CSSTransition) return;
    const { fill } = animation.effect.getComputedTiming();
    if (fill === 'forwards' || fill === 'both') animation.commitStyles();
    animation.cancel();
  };
  const endAnimations = longest => {
    for (const animation of document.getAnimations()) {
      const endTime = animation.effect?.getComputedTiming().endTime;
      // Animations that a script has paused, or that never end, stay as they are.
      if (animation.playState === 'running' && endTime <= longest) try { end(animation) } catch { }
    }
  };
  const isDecoded = () => document.fonts?.status !== 'loading' && undecoded().length === 0;
  globalThis.porthole = { decode, isDecoded, endAnimations };
  addEventListener('load', decode, { once: true });
})()
