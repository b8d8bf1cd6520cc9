/** How a store does. */
export type StoreHealth = {
	/** How late notes of other gateways were heard at most in the last minute, milliseconds by the clock of the store; absent where there are none. */
	readonly notesLagMs?: number;
	/** Last write failure, if writes fail now. */
	readonly failing?: string;
	/** Notes dropped since the start. */
	readonly notesDropped: number;
	/** Durations of the last commits, milliseconds: median and 99th percentile. */
	readonly commitP50Ms: number;
	readonly commitP99Ms: number;
};

/** What a store tells by itself, to whom its opening was given. None of it may throw. */
export type StoreEvents = {
	/**
	 * Writing has begun to fail, or fails for another reason than before; `undefined`: the next write, be it a note, has succeeded again. Told before the write that noticed it is answered,
	 * so whoever must not go on while nothing can be written needs not ask.
	 */
	readonly onFailing?: (reason: string | undefined) => void;
};

/** How much a retention has removed. */
export type Purged = {readonly bodies: number; readonly rows: number};
