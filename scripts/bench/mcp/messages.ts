/** What a client process of this benchmark is asked to measure. */
export type ClientOrder =
	/** Calls of `echo` one after the other, over the bare SDK or over the product's manager. */
	| {readonly kind: 'calls'; readonly through: 'sdk' | 'manager'; readonly seconds: number}
	/** Servers whose tools come from the cache, or that connect at once. `home` holds the cache. */
	| {
			readonly kind: 'servers';
			readonly lazy: boolean;
			readonly count: number;
			readonly home: string;
	  };

export type ClientResult =
	| {
			readonly kind: 'calls';
			readonly calls: number;
			readonly p50Ms: number;
			readonly p99Ms: number;
			/** User and system time of the client for each call. */
			readonly cpuMicros: number;
	  }
	| {
			readonly kind: 'servers';
			readonly tools: number;
			/** To load the code of the tool servers. */
			readonly loadMs: number;
			/** From then until every server's tools can be used. */
			readonly readyMs: number;
			/** Resident memory of the client before and after, and of all its servers. */
			readonly beforeMb: number;
			readonly afterMb: number;
			readonly serversMb: number;
	  };
