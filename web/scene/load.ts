import { byId, h } from '../dom.ts';
import type { Hands } from '../hand.ts';
import type { ArmInfo } from '../protocol.ts';
import type { Store } from '../store.ts';

/** Least time between two showings of figures where there is no scene, ms. */
const WITHOUT_SCENE = 125;

interface Picture {
  load(arms: readonly ArmInfo[]): Promise<void>;
}

function hasWebGl(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context !== null;
}

/** The picture that this browser can draw: in three dimensions, or flat. */
async function pictureOf(host: HTMLElement, store: Store, hands: Hands): Promise<Picture> {
  if (hasWebGl()) {
    const { ArmScene } = await import('./scene.ts');
    try {
      return new ArmScene(host, store, hands);
    } catch {
      // The browser had a context for the look, and has none to keep.
    }
  }
  // Where there is no WebGL there is hardly a graphics processor.
  store.telling.interval = WITHOUT_SCENE;
  const { FlatScene } = await import('./flat.ts');
  return new FlatScene(host, store);
}

/**
 * Shows the scene once its part of the program has come; the rest of the page does not wait for it, nor need it. What has
 * failed is tried again with the next models, and when the bridge is there again.
 */
export function showScene(store: Store, hands: Hands): void {
  const host = byId('scene');
  let picture: Picture | null = null;
  let isFailed = false;
  /** Loads follow each other: an older one that is slow must not replace a newer one. */
  let loaded: Promise<void> = Promise.resolve();
  const fault = h('p', { class: 'waiting fault' });
  const load = async (): Promise<void> => {
    try {
      picture ??= await pictureOf(host, store, hands);
      await picture.load(store.arms);
      isFailed = false;
      fault.remove();
    } catch (error) {
      isFailed = true;
      fault.textContent = `There is no picture of the arms: ${String(error)}`;
      host.querySelector('.waiting')?.remove();
      host.append(fault);
    }
  };
  const show = (): void => {
    loaded = loaded.then(load);
  };
  store.on(['models'], show);
  store.on(['connection'], () => {
    if (isFailed && store.connection === 'live') show();
  });
}
