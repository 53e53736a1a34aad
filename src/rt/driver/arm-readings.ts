/** Latest measurements of an arm in the control loop, by joint, filled in by its link. */
export class ArmReadings {
  /** rad; NaN before the first sample. */
  readonly positions: Float64Array;
  /** rad/s */
  readonly velocities: Float64Array;
  /** Nm */
  readonly efforts: Float64Array;
  /** When each joint's velocity and effort last arrived, those of its first servo, monotonic, s; 0 for never. */
  readonly detailed: Float64Array;
  /** External torques of a remote arm, as reported by the machine that owns its bus, Nm; NaN while it reports none. */
  readonly external: Float64Array;
  /** When they last arrived, monotonic, s; 0 for never. */
  externalTime = 0;
  /** degC */
  readonly temperatures: Float64Array;
  /** V */
  readonly voltages: Float64Array;
  /** Status bits. */
  readonly alarms: Float64Array;
  /** Temperature at which each servo switches itself off, degC; 0 where it is not known. */
  readonly temperatureLimits: Float64Array;
  /** When each joint was last heard, by its longest silent servo, monotonic, s; 0 for never. */
  readonly heard: Float64Array;
  /** Number of missing replies from each joint's first servo. */
  readonly lost: Float64Array;
  /** Start of the last read that gave all positions, monotonic, s; 0 for never. */
  sampleTime = 0;
  /** The same for positions of all servos that still carry. */
  steerTime = 0;
  /** The same for the details. */
  detailTime = 0;
  /** Round trip from request to last reply: median and 99th percentile of the last seconds, s; 0 until known. */
  roundTripMedian = 0;
  roundTripLongest = 0;
  /** Bytes that belonged to no valid reply. */
  discarded = 0;

  constructor(joints: number) {
    this.positions = new Float64Array(joints).fill(Number.NaN);
    this.velocities = new Float64Array(joints);
    this.efforts = new Float64Array(joints);
    this.detailed = new Float64Array(joints);
    this.external = new Float64Array(joints).fill(Number.NaN);
    this.temperatures = new Float64Array(joints);
    this.voltages = new Float64Array(joints);
    this.alarms = new Float64Array(joints);
    this.temperatureLimits = new Float64Array(joints);
    this.heard = new Float64Array(joints);
    this.lost = new Float64Array(joints);
  }
}
