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
    return new ArmScene(host, store, hands);
  }
  // Where there is no WebGL there is hardly a graphics processor.
  store.telling.interval = WITHOUT_SCENE;
  const { FlatScene } = await import('./flat.ts');
  return new FlatScene(host, store);
}

/** Shows the scene once its part of the program has come; the rest of the page does not wait for it, nor need it. */
export function showScene(store: Store, hands: Hands): void {
  const host = byId('scene');
  let picture: Promise<Picture> | null = null;
  store.on(['models'], () => {
    picture ??= pictureOf(host, store, hands);
    picture
      .then((ready) => ready.load(store.arms))
      .catch((error: unknown) => {
        picture = null;
        host.replaceChildren(h('p', { class: 'waiting fault' }, `There is no picture of the arms: ${String(error)}`));
      });
  });
}
