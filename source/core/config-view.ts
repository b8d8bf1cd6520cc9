/** One thing wrong with a configuration file. Positions count from 1; 0 when the file has none. */
export type Problem = {
	readonly severity: 'error' | 'warning';
	/** Absolute path of the file. */
	readonly file: string;
	readonly line: number;
	readonly column: number;
	/** Path of the key, dotted: `platforms.webhook.rate_limitt`. Empty for the whole file. */
	readonly key: string;
	/** One sentence with the value and, where one is near, the name that was probably meant. */
	readonly message: string;
};

/** A route as faces see it; never holds a secret. */
export type RouteView = {
	readonly name: string;
	readonly profile: string;
	readonly source: 'static' | 'dynamic';
	readonly description: string;
	readonly events: readonly string[];
	readonly deliver: string;
	readonly mode: 'agent' | 'deliver_only' | 'cron_job' | 'coalesce';
	/** What `coalesce.key` says; `cron_job` of its route. */
	readonly coalesceKey?: string;
	readonly cronJob?: string;
	/** The two clocks of its groups, milliseconds. */
	readonly windowMs?: number;
	readonly maxWaitMs?: number;
	/** How its sender signs, where the route says so: a preset, or the header of a scheme of its own. */
	readonly signature?: string;
	/** Runs of it at once, where it has a bound of its own. */
	readonly concurrency?: number;
	/** Above its rate limit events wait; absent where they are refused. */
	readonly overflow?: 'queue';
	/** `undefined` when the route is served; else why it is not (a refusal, or shadowed by a static route). */
	readonly problem?: string;
	/** True when the secret is `INSECURE_NO_AUTH`. */
	readonly insecure: boolean;
};

/** The model that answers, and how it was chosen. */
export type ModelView = {
	readonly provider: 'openai-compatible' | 'openai' | 'anthropic' | 'google' | 'offline';
	readonly name: string;
	/** One line for a person: `configured`, `found at http://127.0.0.1:11434/v1`, `no model is configured`. */
	readonly origin: string;
};

/** What became of a platform that results are delivered to. */
export type PlatformView = {
	readonly name: string;
	readonly state: 'connected' | 'failed' | 'disabled';
	readonly reason?: string;
};
