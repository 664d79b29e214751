/** What may be done: `perSecond` in the long run, and `burst` at once. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** What is left of an allowance, as it was at a moment. */
export interface RateBucket {
  left: number;
  /** Epoch milliseconds. */
  at: number;
}

export const fullBucket = ({ burst }: Rate, now: number): RateBucket => ({ left: burst, at: now });

/** Takes one out of the bucket; `undefined` when it was there, else after how many seconds it will be. */
export function takeOne(bucket: RateBucket, rate: Rate, now: number): number | undefined {
  refill(bucket, rate, now);
  if (bucket.left < 1) return (1 - bucket.left) / rate.perSecond;
  bucket.left -= 1;
  return undefined;
}

/** Whether the bucket is as one that nobody has used, and need not be kept. */
export function isFull(bucket: RateBucket, rate: Rate, now: number): boolean {
  refill(bucket, rate, now);
  return bucket.left >= rate.burst;
}

/** A clock that goes back gives nothing and takes nothing. */
function refill(bucket: RateBucket, { perSecond, burst }: Rate, now: number): void {
  if (now > bucket.at) bucket.left = Math.min(burst, bucket.left + ((now - bucket.at) / 1000) * perSecond);
  bucket.at = now;
}
