/** What `task` becomes, unless `signal` aborts first: then rejects with its reason, and the task goes on unheard. */
export async function within<Value>(task: Promise<Value>, signal: AbortSignal): Promise<Value> {
	signal.throwIfAborted();
	const {promise: aborted, reject} = Promise.withResolvers<never>();
	const onAbort = () => {
		reject(signal.reason);
	};
	signal.addEventListener('abort', onAbort, {once: true});
	try {
		return await Promise.race([task, aborted]);
	} finally {
		signal.removeEventListener('abort', onAbort);
	}
}
