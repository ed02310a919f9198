// Ends the animations after `after` ms of virtual time, since they advance with frames and none is drawn while the
// clock runs ahead; returns whether fonts and the images in view are decoded by then.
async (after, longest) => {
  await new Promise(resolve => setTimeout(resolve, after));
  globalThis.porthole?.endAnimations(longest);
  return globalThis.porthole?.isDecoded() ?? false;
}
