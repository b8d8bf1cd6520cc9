import {monitorEventLoopDelay} from 'node:perf_hooks';
import type {Config, WebhookConfig} from '../../config/config.ts';
import {diffConfig} from '../../config/diff-config.ts';
import {every} from '../../core/clock.ts';
import type {HealthSample} from '../../core/events.ts';
import type {RunPlaces, RunQueue} from '../../core/run-queue.ts';
import type {World} from '../../core/world.ts';
import type {Runs} from '../../store/port.ts';
import {createFailureReport} from '../runs/announce-runs.ts';

const intervalMs = 1000;

/** How often the delay is measured, in milliseconds between two looks: each wakes the process, and in one that has nothing else to do that is most of what it does. */
const busyMs = 50;
const quietMs = 250;

/** What was answered since the last look. */
type Interval = {readonly answered: number; readonly p95Ms?: number};

type Delay = Pick<
	ReturnType<typeof monitorEventLoopDelay>,
	'enable' | 'disable' | 'reset' | 'percentile'
>;

/** Samples the process once a second and reports it as `health-sampled`, also when nothing changed: an attached face tells by it that the gateway lives. */
export function startHealth({
	clock,
	emit,
	requests,
	monitor = resolution => monitorEventLoopDelay({resolution}),
}: Pick<World, 'clock' | 'emit'> & {
	readonly requests: () => Interval | undefined;
	/** Begins to measure, every so many milliseconds; tells nanoseconds. */
	readonly monitor?: (resolutionMs: number) => Delay;
}): Disposable {
	const watch = (resolutionMs: number) => {
		const delay = monitor(resolutionMs);
		delay.enable();
		return {delay, resolutionMs};
	};

	let {delay, resolutionMs} = watch(busyMs);
	const lookEvery = (wantedMs: number) => {
		if (wantedMs === resolutionMs) {
			delay.reset();
			return;
		}

		delay.disable();
		({delay, resolutionMs} = watch(wantedMs));
	};

	const stop = every(clock, intervalMs, () => {
		const {answered = 0, p95Ms} = requests() ?? {};
		const health: HealthSample = {
			// The histogram measures from timer to timer: its own resolution is not delay.
			loopDelayP99Ms: Math.max(0, Math.round(delay.percentile(99) / 1e6) - resolutionMs),
			rssBytes: Math.round(process.memoryUsage.rss() / 1e6) * 1e6,
			requestsPerSecond: answered,
			...(p95Ms !== undefined && {requestP95Ms: Math.round(p95Ms)}),
		};
		lookEvery(answered > 0 ? busyMs : quietMs);
		emit({type: 'health-sampled', at: clock.now(), health});
	});

	return {
		[Symbol.dispose]() {
			stop();
			delay.disable();
		},
	};
}

/** How often counts are read for faces, milliseconds. */
const countMs = 1000;

/** The queue as it is now. @throws what the store throws */
export const readRunQueue = async (
	runs: Pick<Runs, 'waits'>,
	places: RunPlaces,
): Promise<RunQueue> => ({...(await runs.waits()), places});

/** Calls `tell` with counts: at once, and each second when they have changed. `first`: the first look has ended; never rejects. A failure is logged once while it repeats. */
export function startCounts<Counts>(
	{clock, log}: Pick<World, 'clock' | 'log'>,
	{
		read,
		tell,
		failure,
	}: {
		readonly read: () => Promise<Counts>;
		readonly tell: (counts: Counts) => void;
		readonly failure: string;
	},
): Disposable & {readonly first: Promise<void>} {
	let last = '';
	const sayFailure = createFailureReport(log, 'warn');
	const look = async () => {
		try {
			const counts = await read();
			sayFailure.over();
			const next = JSON.stringify(counts);
			if (next !== last) {
				last = next;
				tell(counts);
			}
		} catch (error) {
			sayFailure(failure, error);
		}
	};

	return {first: look(), [Symbol.dispose]: every(clock, countMs, look)};
}

/**
 * Keys whose change since the start waits for a restart. Host and port are in use as the receiver was asked to listen on them; one that does not listen takes the
 * new ones by itself. Pure.
 */
export function restartNeeded(
	started: Config,
	current: Config,
	listensOn: Pick<WebhookConfig, 'host' | 'port'> = current.webhook,
): readonly string[] {
	const {host, port} = listensOn;
	const inUse = {...started, webhook: {...started.webhook, host, port}};
	return diffConfig(inUse, current).restartNeeded;
}
