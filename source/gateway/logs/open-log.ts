import {captureConsole} from '../../core/capture-console.ts';
import type {Emit} from '../../core/events.ts';
import {createLogger} from '../../core/log.ts';
import {createRedact} from '../../core/redact.ts';
import type {World} from '../../core/world.ts';
import type {GatewayWorld} from '../rooms.ts';
import {createLogFile} from './log-file.ts';

/** The gateway's log: a file, whoever watches, and what must not be in it. */
export type GatewayLog = AsyncDisposable & Pick<World, 'log' | 'redact'>;

/** Opens the log of a gateway. `secrets` is asked for every line, as `createRedact` says. */
export function openLog(
	{clock, paths, onLog}: GatewayWorld,
	{emit, secrets}: {readonly emit: Emit; readonly secrets: () => readonly string[]},
): GatewayLog {
	const file = createLogFile(paths.gatewayLog);
	const redact = createRedact(secrets);
	const log = createLogger({
		clock,
		redact,
		write(record) {
			file.write(record);
			onLog?.(record);
			emit({type: 'log-written', at: record.at, record});
		},
	});
	return {log, redact, [Symbol.asyncDispose]: () => file[Symbol.asyncDispose]()};
}

/** A stranger can make a library warn as often as it likes. */
const maxLines = 20;
const minuteMs = 60_000;

/** Puts what libraries say on `console` into the log, at most 20 lines in a minute, for whoever looks for a fault. */
export function logConsole({log, clock}: Pick<World, 'clock' | 'log'>): Disposable {
	let start = -Infinity;
	let lines = 0;
	return captureConsole(text => {
		const now = clock.monotonic();
		if (now - start >= minuteMs) {
			start = now;
			lines = 0;
		}

		lines += 1;
		if (lines <= maxLines) {
			log.debug('A library says', {text});
		}
	});
}
