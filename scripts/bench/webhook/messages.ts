/** What the load generator is asked for. */
export type LoadOrder = {
	readonly port: number;
	readonly path: string;
	readonly connections: number;
	/** Signs with a secret that nobody knows. */
	readonly forged?: boolean;
	/** Requests before the clock starts, milliseconds. */
	readonly warmUpMs: number;
	readonly ms: number;
};

/** What it found. */
export type LoadResult = {
	readonly requests: number;
	readonly seconds: number;
	/** Answers by status. */
	readonly statuses: Readonly<Record<string, number>>;
	readonly p50Ms: number;
	readonly p99Ms: number;
	/** Share of one core that the generator itself used, 0 to 1 and above. */
	readonly generatorLoad: number;
};

/** What a server says once it listens, and whenever it is asked how much CPU it has used. */
export type ServerMessage =
	| {readonly type: 'listening'; readonly port: number}
	| {readonly type: 'usage'; readonly cpuMicros: number};

export type ServerQuestion = 'usage' | 'stop';
