import { Bridge } from '../clients/typescript/src/bridge.ts';

/** The bridge that serves this page, which tells it from others by a cookie. What it says is of this moment. */
export const bridge = new Bridge(undefined, {
  name: null,
  fetch: (url, how) => fetch(url, { ...how, cache: 'no-cache' }),
});
