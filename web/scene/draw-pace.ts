/** What is left out while drawing takes too long, step by step. `pixels`: drawn for each pixel of the page, at most. */
export const LEVELS = [
  { shadows: true, pixels: 2 },
  { shadows: false, pixels: 1 },
  { shadows: false, pixels: 0.7 },
  { shadows: false, pixels: 0.5 },
] as const;
export type Level = (typeof LEVELS)[number];

/** A picture that takes longer is drawn coarser, ms. */
const ALLOWED = 12;
/** Without a graphics processor the browser needs so long for putting the page together, ms of a processor, or this many times what drawing takes. */
const COMPOSING = { least: 30, times: 3 } as const;
/** Drawing and putting together may take this part of one processor. */
const SHARE = 1 / 5;
const LONGEST_INTERVAL = 500;
/** Drawings of which the median counts, and those that a new level begins with and that do not count: they compile shaders. */
const SAMPLES = 3;
const FIRST = 2;
/** Once it is known how long drawing takes, every so many drawings are measured. */
const SELDOM = 20;
/** A finer level is taken when it would need no more than this part of what is allowed. */
const ROOM = 0.6;
/** What shadows cost, beside the picture itself. */
const SHADOWS = 2;
/** Where the processor draws, a picture that stays is as fine as can be drawn in so long, ms. */
const ALLOWED_STILL = 400;
/** Without another drawing for so long after one was possible nothing moves any more, ms. */
const SETTLING = 200;

/**
 * Decides by measured times how finely and how often the scene is drawn: no finer than the computer can. Where the processor
 * draws, pictures of a motion are coarse, because it may be the one that drives the arms, and the picture that stays is sharp.
 */
export class DrawPace {
  /** The processor draws, for want of a graphics processor. */
  readonly #software: boolean;
  readonly #display: number;
  readonly #finest: number;
  #level: number;
  #times: number[] = [];
  #drawn = 0;
  #median = 0;
  /** When the scene was drawn last, ms. */
  #last = Number.NEGATIVE_INFINITY;
  /** The picture stays for a while. */
  #still = true;

  /** @param display pixels of the display for each pixel of the page */
  constructor(software: boolean, display: number) {
    this.#software = software;
    this.#display = display;
    this.#finest = software ? LEVELS.length - 1 : 0;
    this.#level = this.#finest;
  }

  get level(): Level {
    return this.#software && this.#still ? this.#stillLevel() : LEVELS[this.#level]!;
  }

  /** Pixels that are drawn for each pixel of the page. */
  get pixels(): number {
    return this.#pixelsOf(this.level);
  }

  /** Least time from one drawing to the next, ms; 0: with every frame of the display. */
  get interval(): number {
    const coarsest = this.#level === LEVELS.length - 1;
    if (!this.#software && !(coarsest && this.#median > ALLOWED)) return 0;
    const composing = Math.max(COMPOSING.least, COMPOSING.times * this.#median);
    return Math.min((this.#median + composing) / SHARE, LONGEST_INTERVAL);
  }

  /** Time after which the scene is to be drawn anew although nothing has changed, because it stays, ms; null: it is fine enough. */
  get settling(): number | null {
    return this.#software && !this.#still ? this.interval + SETTLING : null;
  }

  /** The scene is drawn. @param now ms @returns whether this drawing is to be measured */
  begin(now: number): boolean {
    this.#still = now - this.#last >= this.interval + SETTLING;
    this.#last = now;
    if (this.#software && this.#still) return false;
    this.#drawn += 1;
    if (this.#drawn <= FIRST) return false;
    return this.#times.length < SAMPLES || this.#drawn % SELDOM === 0;
  }

  /** A drawing took so long, ms. @returns whether the level is another one now */
  measured(time: number): boolean {
    this.#times = [...this.#times, time].slice(-SAMPLES);
    if (this.#times.length < SAMPLES) return false;
    this.#median = [...this.#times].sort((a, b) => a - b)[(SAMPLES - 1) / 2]!;
    if (this.#median > ALLOWED && this.#level < LEVELS.length - 1) return this.#take(this.#level + 1);
    const finer = LEVELS[this.#level - 1];
    if (finer === undefined || this.#level === this.#finest) return false;
    const cost = this.#median * (this.#pixelsOf(finer) / this.pixels) ** 2 * (finer.shadows ? SHADOWS : 1);
    return cost < ROOM * ALLOWED && this.#take(this.#level - 1);
  }

  /** The finest level without shadows that can be borne once. */
  #stillLevel(): Level {
    const coarsest = LEVELS.at(-1)!;
    const cost = (level: Level): number => this.#median * (this.#pixelsOf(level) / this.#pixelsOf(coarsest)) ** 2;
    return LEVELS.find((level) => !level.shadows && cost(level) <= ALLOWED_STILL) ?? coarsest;
  }

  #pixelsOf({ pixels }: Level): number {
    return Math.min(pixels, Math.max(this.#display, 1));
  }

  #take(level: number): true {
    this.#level = level;
    this.#times = [];
    this.#drawn = 0;
    return true;
  }
}
