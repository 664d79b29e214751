/** A limit: `perSecond` on average, and `burst` at once. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** The remaining allowance at a moment. */
export interface RateBucket {
  left: number;
  /** Epoch milliseconds. */
  at: number;
}

export const fullBucket = ({ burst }: Rate, now: number): RateBucket => ({ left: burst, at: now });

/** Takes one; `undefined` if allowed, else the seconds to wait. */
export function takeOne(bucket: RateBucket, rate: Rate, now: number): number | undefined {
  refill(bucket, rate, now);
  if (bucket.left < 1) return (1 - bucket.left) / rate.perSecond;
  bucket.left -= 1;
  return undefined;
}

/** Whether the bucket is full again and need not be kept. */
export function isFull(bucket: RateBucket, rate: Rate, now: number): boolean {
  refill(bucket, rate, now);
  return bucket.left >= rate.burst;
}

/** A clock that goes back changes nothing. */
function refill(bucket: RateBucket, { perSecond, burst }: Rate, now: number): void {
  if (now > bucket.at) bucket.left = Math.min(burst, bucket.left + ((now - bucket.at) / 1000) * perSecond);
  bucket.at = now;
}
