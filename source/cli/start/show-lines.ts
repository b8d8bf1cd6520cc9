import {within} from '../../core/clock.ts';
import {versionMismatch} from '../../core/program.ts';
import {freeWrites} from '../../terminal/free-writes.ts';
import {tell, tellEach} from '../console/print.ts';
import {createLineWriter} from '../lines/lines.ts';
import type {LineFormat} from '../lines/output-mode.ts';
import {detach, type Shown} from './detach.ts';

/** Writes lines to stdout, until a signal arrives or their reader is gone. If that was a terminal, the gateway keeps running. */
export async function showLines(
	{context, port, gateway, stop, endsWithFace}: Shown,
	format: LineFormat,
): Promise<void> {
	freeWrites(context.stdout);
	freeWrites(context.stderr);
	using lines = createLineWriter({stream: context.stdout, notices: context.stderr, format});
	const {
		gateway: {pid, version, home, profile, startedAt: at},
	} = port.getState();
	// The gateway started before the subscription.
	lines.write([{type: 'gateway-started', at, pid, version, home, profile}]);
	const said = new Set<string>();
	const sayVersions = () => {
		const now = port.getState().gateway.version;
		if (!gateway && !said.has(now)) {
			said.add(now);
			tellEach(context, versionMismatch({gateway: now, face: context.version}) ?? []);
		}
	};

	const unsubscribe = port.subscribe(events => {
		lines.write(events);
		// The home's next gateway may have another version.
		sayVersions();
	});
	try {
		await gateway?.started;
		if (!gateway) {
			tell(context, `Attached to the gateway of process ${pid}`);
			sayVersions();
		}

		const onTerminal = context.stdout.isTTY;
		const end = await Promise.race([
			stop.asked.then(() => 'stop' as const),
			within(lines.closed, stop.hungUp).then(
				() => (onTerminal ? ('gone' as const) : ('stop' as const)),
				() => 'gone' as const,
			),
			...(gateway ? [gateway.stopped.then(() => 'stop' as const)] : []),
		]);
		if (end === 'gone' && gateway && !endsWithFace) {
			// A file keeps receiving lines.
			if (onTerminal) {
				unsubscribe();
			}

			await detach({context, stop}, gateway);
		}

		// Shutting down produces lines too.
		await gateway?.[Symbol.asyncDispose]();
	} finally {
		unsubscribe();
	}
}
