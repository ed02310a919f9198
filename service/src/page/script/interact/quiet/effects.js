// What an action sets in motion: transitions, and animations by script.

// Transitions that the action begins are waited for, where their end may show something else than they do: a dialog comes once
// what lies behind it has faded in, and goes once it has faded out itself. Those that only paint, or move what was acted on
// itself, answer the pointer.
const EFFECTS_MS_MAX = 1000;
const PAINTS = /color|shadow|outline|^(fill|stroke|filter|backdrop-filter|background.*|text-.*|border.*-radius)$/;
const animationsNow = () => {
  const inRoots = rootsSeen().flatMap((root) => ShadowRoot.prototype.getAnimations.call(root));
  return [...Document.prototype.getAnimations.call(document), ...inRoots];
};
// What was dragged is let go: what moves now is its end.
const renewEffects = () => { if (watched) watched.effectsUntil = null; };
// A transition that was over before it was looked for: a busy browser draws its first frame late.
const noteFaded = (now, { target, propertyName }) => {
  const acted = actedOn();
  const isOfPointer = [...now.effects].some(({ effect }) => effect?.target === target) || (acted && isWithin(target, acted));
  now.faded ||= !isOfPointer && !PAINTS.test(propertyName) && !(target instanceof HTMLLabelElement);
};
// The element that is acted on, whose own movement answers the pointer; null of a drop.
const actedOn = () => (dropping ?? dropped ? null : (meant ?? aimed)?.element ?? null);
const isEffect = (animation, now, acted) => {
  if (now.effects.has(animation) || animation.playState !== 'running') return false;
  const { effect } = animation;
  const target = effect?.target;
  // A field's label moves out of its way.
  if (!target || (acted && isWithin(target, acted)) || target instanceof HTMLLabelElement) return false;
  if (animation instanceof CSSTransition && PAINTS.test(animation.transitionProperty)) return false;
  const left = (effect.getComputedTiming().endTime - animation.currentTime) / Math.abs(animation.playbackRate);
  return left <= now.effectsUntil - performance.now();
};
// Waits until they have ended; false where there are none.
const effectsEnd = async (now) => {
  now.effectsUntil ??= performance.now() + EFFECTS_MS_MAX;
  const acted = actedOn();
  const effects = animationsNow().filter((animation) => isEffect(animation, now, acted));
  if (effects.length === 0) return false;
  const longest = new Promise((resolve) => { setTimeout(resolve, Math.max(0, now.effectsUntil - performance.now())); });
  await Promise.race([longest, Promise.all(effects.map((effect) => effect.finished.catch(() => {})))]);
  return true;
};

// Animations by script, as of jQuery: elements whose style changes frame after frame since the press. They are waited for as
// transitions are. One that goes on for longer has no end: it is not waited for again, nor is any other of a document in which
// that happens once more.
const STYLED_MAX = 200, MOVING_FRAMES_MIN = 3, ENDLESS_MAX = 2;
// A busy browser skips frames of a timer's animation.
const SKIPPED_FRAMES_MAX = 4;
const endless = new WeakSet();
let endlessSeen = 0;
const noteStyled = (now, records) => {
  if (endlessSeen >= ENDLESS_MAX) return;
  for (let at = 0; at < records.length && at < RECORDS_MAX; at++) {
    const { attributeName, target } = records[at];
    if (attributeName !== 'style' || endless.has(target)) continue;
    const moved = now.styled.get(target);
    if (!moved) {
      if (now.styled.size < STYLED_MAX) now.styled.set(target, { since: performance.now(), frames: 1, last: now.frame });
    } else if (moved.last !== now.frame) {
      moved.frames++;
      moved.last = now.frame;
    }
  }
};
// Whether something moves that is to be waited for.
const movesOn = (now) => {
  now.effectsUntil ??= performance.now() + EFFECTS_MS_MAX;
  const acted = actedOn();
  const isMoving = ([element, { frames, last }]) => frames >= MOVING_FRAMES_MIN && last >= now.frame - SKIPPED_FRAMES_MAX && !now.movedBefore.has(element)
    && isHere(element) && !(acted && isWithin(element, acted));
  const moving = [...now.styled].filter(isMoving);
  if (moving.length === 0) return false;
  if (performance.now() < now.effectsUntil) return true;
  const withoutEnd = moving.filter(([, { since }]) => performance.now() - since >= EFFECTS_MS_MAX);
  for (const [element] of withoutEnd) endless.add(element);
  if (withoutEnd.length > 0) endlessSeen++;
  return false;
};
