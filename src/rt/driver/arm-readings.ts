/** What an arm in the control loop was measured to be last, by joint; whoever reads its bus or hears of it fills it in. */
export class ArmReadings {
  /** rad; NaN before the first sample. */
  readonly positions: Float64Array;
  /** rad/s, Nm, degC, V, status bits. */
  readonly velocities: Float64Array;
  readonly efforts: Float64Array;
  /** External torques of an arm whose bus another machine owns, as that machine tells them, Nm; NaN while it tells none. */
  readonly external: Float64Array;
  readonly temperatures: Float64Array;
  readonly voltages: Float64Array;
  readonly alarms: Float64Array;
  /** Temperature at which each servo switches itself off, degC; 0 where it is not known. */
  readonly temperatureLimits: Float64Array;
  /** When each joint was heard last, by the quietest of its servos, monotonic, s; 0 for never. */
  readonly heard: Float64Array;
  /** Replies of each joint's first servo that never came. */
  readonly lost: Float64Array;
  /** Beginning of the read that gave all positions; of that of the servos that still carry; of the details: monotonic, s; 0 for never. */
  sampleTime = 0;
  steerTime = 0;
  detailTime = 0;
  /** From request to last reply: median and 99th percentile of the last seconds, s; 0 before. */
  roundTripMedian = 0;
  roundTripLongest = 0;
  /** Bytes that belonged to no valid reply. */
  discarded = 0;

  constructor(joints: number) {
    this.positions = new Float64Array(joints).fill(Number.NaN);
    this.velocities = new Float64Array(joints);
    this.efforts = new Float64Array(joints);
    this.external = new Float64Array(joints).fill(Number.NaN);
    this.temperatures = new Float64Array(joints);
    this.voltages = new Float64Array(joints);
    this.alarms = new Float64Array(joints);
    this.temperatureLimits = new Float64Array(joints);
    this.heard = new Float64Array(joints);
    this.lost = new Float64Array(joints);
  }
}
