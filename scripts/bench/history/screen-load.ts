import {monitorEventLoopDelay} from 'node:perf_hooks';
import {Writable} from 'node:stream';
import {setTimeout as wait} from 'node:timers/promises';
import {homePaths} from '../../../source/config/home-paths.ts';
import {systemClock} from '../../../source/core/clock.ts';
import {startGateway} from '../../../source/gateway/gateway.ts';
import type {GatewayPort} from '../../../source/gateway/port.ts';
import {runTui} from '../../../source/tui/run-tui.tsx';
import {createFakeLogins} from '../../../tests/helpers/fake-logins.ts';
import {createFakeTerminal} from '../../../tests/helpers/fake-terminal.ts';
import {stateWhere} from '../../../tests/helpers/gateway.ts';
import {busyConfig} from '../busy-config.ts';
import {makeHome, type BenchHome} from '../home.ts';
import {progress, type Line} from '../report.ts';
import {reportWhole, startLoad} from '../tui/start-load.ts';

const perSecond = 50;
const settleMs = 2000;

/** Milliseconds between two samples of the loop's delay: not delay itself. */
const resolutionMs = 5;

/** As long as no step was asked for, the search has come to an end. */
const endedMs = 500;

/** What a terminal of 120x36 is to the screen: it takes every frame at once. */
function createSink() {
	let frames = 0;
	const stream = new Writable({
		write(_chunk, _encoding, done) {
			frames += 1;
			done();
		},
	});
	const stdout = Object.assign(stream, {
		isTTY: true,
		columns: 120,
		rows: 36,
		getColorDepth: () => 24,
		hasColors: () => true,
		getWindowSize: () => [120, 36],
	}) as unknown as NodeJS.WriteStream;
	return {stdout, frames: () => frames};
}

/** A home for `screenLines`, whose journal is to be filled before. */
export const screenHome = (): BenchHome => makeHome(busyConfig({port: 0}));

/** The delay of the event loop of a gateway that serves requests and draws the list that follows, without a filter, and while one word after the other is looked for. */
export async function screenLines(
	{path}: Pick<BenchHome, 'path'>,
	{seconds}: {readonly seconds: number},
): Promise<readonly Line[]> {
	await using gateway = startGateway({
		clock: systemClock,
		paths: homePaths({environment: {SVC_HOME: path}}),
		environment: {API_ENABLED: 'false', PATH: process.env['PATH'] ?? ''},
		version: '0.0.0-bench',
		localServers: [],
		onLog() {},
	});
	await gateway.started;
	const {webhook} = await stateWhere(gateway.port, state => state.webhook.state === 'listening');
	const port = Number(new URL(webhook.state === 'listening' ? webhook.url : '').port);
	const searches = watchSearches(gateway.port);
	const keyboard = createFakeTerminal();
	const sink = createSink();
	const stop = new AbortController();
	const shown = runTui({
		port: searches.port,
		logins: createFakeLogins(),
		clock: systemClock,
		stdin: keyboard.stream,
		stdout: sink.stdout,
		options: {
			version: '1.0',
			ssh: false,
			editor: '',
			pager: '',
			home: path,
			environment: {},
			examine: async () => '',
			readManual: () => undefined,
			manualSettings: () => [],
			signal: stop.signal,
		},
	});

	try {
		await using load = startLoad({port, perSecond});
		await wait(settleMs);
		const lines: Line[] = [];
		for (const isFiltered of [false, true]) {
			progress(isFiltered ? 'screen, filter' : 'screen');
			await reportWhole(load);
			const before = {frames: sink.frames(), steps: searches.steps(), scanned: searches.scanned()};
			const delay = monitorEventLoopDelay({resolution: resolutionMs});
			delay.enable();
			const beganAt = performance.now();
			if (isFiltered) {
				await keepFiltering(keyboard, searches, beganAt + seconds * 1000);
			} else {
				await wait(seconds * 1000);
			}

			const tookMs = performance.now() - beganAt;
			delay.disable();
			const requests = await reportWhole(load);
			const ms = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs).toFixed(1);
			lines.push({
				filter: isFiltered ? '(screen) words that stand nowhere' : '(screen)',
				'loop p50 ms': ms(delay.percentile(50)),
				'loop p99 ms': ms(delay.percentile(99)),
				'loop max ms': ms(delay.max),
				'request p99 ms': requests.p99Ms.toFixed(1),
				'requests/s': ((requests.sent / tookMs) * 1000).toFixed(0),
				'writes/s': (((sink.frames() - before.frames) / tookMs) * 1000).toFixed(1),
				steps: searches.steps() - before.steps,
				'rows looked at': (searches.scanned() - before.scanned).toLocaleString('en'),
			});
		}

		return lines;
	} finally {
		stop.abort();
		await shown;
	}
}

type Searches = ReturnType<typeof watchSearches>;

/** The same port, which counts what the screen asks the journal for. */
function watchSearches(port: GatewayPort) {
	let [steps, scanned, askedAt] = [0, 0, 0];
	return {
		port: {
			...port,
			async searchDeliveries(...question: Parameters<GatewayPort['searchDeliveries']>) {
				steps += 1;
				askedAt = performance.now();
				const step = await port.searchDeliveries(...question);
				scanned += step.scanned;
				return step;
			},
		},
		steps: () => steps,
		scanned: () => scanned,
		isSearching: () => performance.now() - askedAt < endedMs,
	};
}

/** Looks for a word that stands nowhere, and for the next one when all rows were looked at. */
async function keepFiltering(
	keyboard: ReturnType<typeof createFakeTerminal>,
	searches: Searches,
	until: number,
): Promise<void> {
	for (let word = 0; performance.now() < until; word += 1) {
		// The text of the filter before is gone with Ctrl-U.
		for (const key of `/\u0015nowhere${word}\r`.split('')) {
			keyboard.type(key);
			await wait(30);
		}

		const before = searches.steps();
		await wait(endedMs);
		if (searches.steps() === before) {
			throw new Error('the screen asked the journal for nothing');
		}

		while (searches.isSearching() && performance.now() < until) {
			await wait(50);
		}
	}
}
