import type {Logger} from '../core/log.ts';

/** Bounds the memory of keys that come and go; after that many a warning may come twice. */
const maxKeys = 1000;

/** Logs a warning the first time that its key comes. */
export function createWarnOnce(log: Logger): (key: string, message: string) => void {
	const warned = new Set<string>();
	return (key, message) => {
		if (warned.has(key)) {
			return;
		}

		if (warned.size >= maxKeys) {
			warned.clear();
		}

		warned.add(key);
		log.warn(message);
	};
}
