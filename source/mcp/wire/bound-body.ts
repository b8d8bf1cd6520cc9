type Bytes = ReadableStream<Uint8Array>;

/** What passes through is looked at chunk by chunk: `stop` ends the body there, with an error or as if it were whole. */
export type ChunkVerdict = 'pass' | {readonly stop: Error | 'quietly'};

/**
 * The same body, read no further than its reader wants, and no further than `judge` allows; what is left is not fetched. `onEnd` is called once,
 * `isWhole` unless it broke off or was stopped with an error; not when the reader loses interest.
 */
export function boundBody(
	body: Bytes,
	{
		judge,
		onEnd = () => {},
	}: {
		readonly judge: (chunk: Uint8Array) => ChunkVerdict;
		readonly onEnd?: (isWhole: boolean) => void;
	},
): Bytes {
	const reader = body.getReader();
	const stop = () => reader.cancel().catch(() => {});

	return new ReadableStream<Uint8Array>(
		{
			async pull(controller) {
				try {
					const {done, value} = await reader.read();
					if (done) {
						controller.close();
						onEnd(true);
						return;
					}

					const verdict = judge(value);
					if (verdict === 'pass') {
						controller.enqueue(value);
						return;
					}

					void stop();
					if (verdict.stop !== 'quietly') {
						throw verdict.stop;
					}

					controller.enqueue(value);
					controller.close();
					onEnd(true);
				} catch (error) {
					controller.error(error);
					onEnd(false);
				}
			},
			cancel: async reason => reader.cancel(reason),
		},
		{highWaterMark: 0},
	);
}

/** Lets `maxBytes` through, then stops as `above` says. */
export function limitBytes(maxBytes: number, above: () => Error | 'quietly') {
	let bytes = 0;
	return (chunk: Uint8Array): ChunkVerdict => {
		bytes += chunk.length;
		return bytes > maxBytes ? {stop: above()} : 'pass';
	};
}
