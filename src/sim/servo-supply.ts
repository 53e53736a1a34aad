/** Share of the nominal supply below which a servo's processor stops; assumed, because makers publish no figure. */
const BROWN_OUT = 0.4;
/** Time from sufficient supply to the first answer, s; assumed. */
const START_TIME = 0.1;

/** The supply of one servo, and whether the servo runs on it. */
export class ServoSupply {
  /** V */
  volts: number;
  readonly #usual: number;
  readonly #least: number;
  #starting = 0;

  /**
   * @param usual supply of this arm, V
   * @param nominal supply of the model, V
   */
  constructor(usual: number, nominal: number) {
    this.volts = usual;
    this.#usual = usual;
    this.#least = BROWN_OUT * nominal;
  }

  get awake(): boolean {
    return this.volts >= this.#least && this.#starting <= 0;
  }

  /** Changes the supply (V; null: the usual one). @returns whether the servo has stopped because of the change */
  change(volts: number | null): boolean {
    const was = this.volts >= this.#least;
    this.volts = volts ?? this.#usual;
    const falls = was && this.volts < this.#least;
    if (falls) this.start();
    return falls;
  }

  /** Restarts the servo, which takes its start-up time. */
  start(): void {
    this.#starting = START_TIME;
  }

  step(dt: number): void {
    if (this.#starting > 0 && this.volts >= this.#least) this.#starting -= dt;
  }
}
