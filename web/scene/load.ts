import { byId, h } from '../dom.ts';
import type { Hands } from '../hand.ts';
import type { Store } from '../store.ts';
import type { ArmScene } from './scene.ts';

/** Least time between two showings of figures where there is no scene, ms. */
const WITHOUT_SCENE = 125;

/** Shows the scene once its part of the program has come; the rest of the page does not wait for it, nor need it. */
export function showScene(store: Store, hands: Hands): void {
  const host = byId('scene');
  let scene: Promise<ArmScene> | null = null;
  store.on(['models'], () => {
    scene ??= import('./scene.ts').then(({ ArmScene }) => new ArmScene(host, store, hands));
    scene
      .then((ready) => ready.load(store.arms))
      .catch((error: unknown) => {
        scene = null;
        // Where there is no WebGL there is hardly a graphics processor.
        store.telling.interval = WITHOUT_SCENE;
        host.replaceChildren(h('p', { class: 'waiting fault' }, `There is no picture of the arms: ${String(error)}`));
      });
  });
}
