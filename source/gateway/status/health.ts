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

/** How often the delay of the event loop is measured, milliseconds. Each measurement wakes the process, which in an idle one is most of its work. */
const busyMs = 50;
const quietMs = 250;

/** Requests answered since the last sample. */
type Interval = {readonly answered: number; readonly p95Ms?: number};

type Delay = Pick<
	ReturnType<typeof monitorEventLoopDelay>,
	'enable' | 'disable' | 'reset' | 'percentile'
>;

/** Emits `health-sampled` once a second, even when unchanged, which tells attached faces that the gateway is alive. */
export function startHealth({
	clock,
	emit,
	requests,
	monitor = resolution => monitorEventLoopDelay({resolution}),
}: Pick<World, 'clock' | 'emit'> & {
	readonly requests: () => Interval | undefined;
	/** Starts measuring at the given interval; results are in nanoseconds. */
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
			// The histogram measures from timer to timer: the interval itself is not delay.
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

/** Reads the state of the queue. @throws what the store throws */
export const readRunQueue = async (
	runs: Pick<Runs, 'waits'>,
	places: RunPlaces,
): Promise<RunQueue> => ({...(await runs.waits()), places});

/** Calls `tell` with counts: at once, and each second if they have changed. `first` resolves after the first read; never rejects. A failure is logged once while it repeats. */
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
 * Keys whose change since the start needs a restart. Host and port count as in use where the receiver was asked to listen; a receiver that does not listen uses new ones
 * without a restart. Pure.
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
