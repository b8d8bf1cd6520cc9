import {join} from 'node:path';
import {monitorEventLoopDelay} from 'node:perf_hooks';
import {DatabaseSync} from 'node:sqlite';
import {systemClock} from '../../../source/core/clock.ts';
import {numberOfTime} from '../../../source/core/ids.ts';
import {openSqliteStore} from '../../../source/store/open-sqlite-store.ts';
import type {Store} from '../../../source/store/port.ts';
import type {BenchOptions} from '../main.ts';
import type {Line, Report} from '../report.ts';
import {screenHome, screenLines} from './screen-load.ts';

const maxRows = 20_000_000;

const page = 200;

/** Milliseconds between two samples of the loop's delay: not delay itself. */
const resolutionMs = 5;

/** Where the one delivery lies that a filter has to find: near the oldest end. */
const rareRow = 41;

/** Nothing of it is old enough to be deleted while it is looked at. */
const allWithinMs = 7 * 86_400_000;

const filters = ['route:rare', 'status:5xx', '-route:r1 status:200 ms>100', '~ nothing', 'nowhere'];

/** First page, filters, and what they cost the event loop, over a journal whose rows are inserted as they lie on the disk. */
export async function benchHistory({
	rows = 1_000_000,
	seconds = 20,
}: BenchOptions): Promise<Report> {
	const count = Math.min(Math.round(rows), maxRows);
	using home = screenHome();
	const file = join(home.path, 'state.db');
	await openSqliteStore({clock: systemClock}, {file}).then(async store =>
		store[Symbol.asyncDispose](),
	);
	fill(file, count);
	const lines = [...(await storeLines(file)), ...(await screenLines(home, {seconds}))];
	return {
		title: `The history of ${count.toLocaleString('en')} deliveries`,
		lines,
		notes: [
			'Bodies expired, but of the newest 2,000. `loop` is the delay of the thread that serves requests, while the search runs beside it.',
			`(screen): a gateway in this process, which serves 50 signed events/s and draws the list that follows, ${seconds} s each; with words that stand nowhere, one after the other, where a filter is named.`,
		],
		data: lines,
	};
}

/** The journal alone. */
async function storeLines(file: string): Promise<readonly Line[]> {
	await using store = await openSqliteStore({clock: systemClock}, {file});
	// The thread begins with the first question.
	await step(store, '');
	const lines: Line[] = [await pageLine(store)];
	for (const filter of filters) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other: they share a thread
		lines.push(await filterLine(store, filter));
	}

	return lines;
}

const step = async (store: Store, filter: string, before?: number) =>
	store.history.search('deliveries', {
		filter,
		now: systemClock.now(),
		limit: page,
		...(before !== undefined && {before}),
	});

async function pageLine(store: Store): Promise<Line> {
	const beganAt = systemClock.monotonic();
	const {items} = await step(store, '');
	const tookMs = systemClock.monotonic() - beganAt;
	return {filter: '(first page)', hits: items.length, 'whole ms': tookMs.toFixed(1)};
}

async function filterLine(store: Store, filter: string): Promise<Line> {
	const delay = monitorEventLoopDelay({resolution: resolutionMs});
	delay.enable();
	const beganAt = systemClock.monotonic();
	let [hits, scanned] = [0, 0];
	let firstMs: number | undefined;
	for (let before: number | undefined; ;) {
		// oxlint-disable-next-line no-await-in-loop -- each step says where the next one begins
		const {items, scanned: looked, searchedTo} = await step(store, filter, before);
		hits += items.length;
		scanned += looked;
		firstMs ??= hits > 0 ? systemClock.monotonic() - beganAt : undefined;
		if (searchedTo === undefined) {
			break;
		}

		before = searchedTo;
	}

	const tookMs = systemClock.monotonic() - beganAt;
	delay.disable();
	return {
		filter,
		hits,
		'first hit ms': firstMs === undefined ? '-' : firstMs.toFixed(0),
		'whole ms': tookMs.toFixed(0),
		'rows/s': Math.round((scanned / tookMs) * 1000).toLocaleString('en'),
		'loop p99 ms': Math.max(0, delay.percentile(99) / 1e6 - resolutionMs).toFixed(1),
	};
}

function fill(file: string, count: number): void {
	using database = new DatabaseSync(file);
	database.exec('pragma synchronous = off; pragma journal_mode = memory; begin');
	const insert = database.prepare(
		`insert into delivery (id, profile, route, event, delivery_id, id_source, status, outcome, received_at, duration_ms, body_bytes, flags, trace, headers, body)
		values (?, 'default', ?, 'pull_request', ?, 'x-github-delivery', ?, ?, ?, 1.5, 7000, 0, ?, '{}', ?)`,
	);
	const trace = JSON.stringify([
		{step: 'signature', verdict: 'pass', detail: 'X-Hub-Signature-256'},
		{step: 'event', verdict: 'pass', detail: 'pull_request in [pull_request]'},
	]);
	const body = new TextEncoder().encode('{"action": "opened"}');
	const now = systemClock.now();
	const gapMs = Math.max(1, Math.min(500, Math.floor(allWithinMs / count)));
	for (let index = 0; index < count; index++) {
		const at = now - (count - index) * gapMs;
		const [status, outcome] = index % 7 === 0 ? [200, 'ignored:filter'] : [202, 'accepted'];
		insert.run(
			numberOfTime(at),
			index === rareRow ? 'rare' : `r${index % 10}`,
			`delivery-${index}`,
			status,
			outcome,
			at,
			trace,
			index > count - 2000 ? body : null,
		);
	}

	database.exec(
		'commit; update usage set deliveries = (select count(*) from delivery); pragma journal_mode = wal',
	);
}
