import {
	existsSync,
	linkSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {systemClock} from '../../source/core/clock.ts';
import {openSqliteStore} from '../../source/store/open-sqlite-store.ts';

type Files = ReadonlyArray<readonly [suffix: string, bytes: Uint8Array]>;

/** The reserve holds nothing and is never written, so all stores of all tests share one file of 4 MiB. */
const reserve = join(tmpdir(), 'svc-tests.reserve');

let laid: Promise<Files> | undefined;

/** What the first start of a store leaves behind. */
async function firstStart(): Promise<Files> {
	const folder = mkdtempSync(join(tmpdir(), 'svc-store-'));
	try {
		const file = join(folder, 'state.db');
		const store = await openSqliteStore({clock: systemClock}, {file});
		await store[Symbol.asyncDispose]();
		linkIfMissing(`${file}.reserve`, reserve);
		return readdirSync(folder)
			.filter(name => !name.endsWith('.reserve'))
			.map(name => [name.slice('state.db'.length), readFileSync(join(folder, name))]);
	} finally {
		rmSync(folder, {recursive: true});
	}
}

/** Where a link cannot be made, or is there already, a store does without it. */
function linkIfMissing(from: string, to: string): void {
	try {
		linkSync(from, to);
	} catch {}
}

/** Puts an empty store at `file`, where there is none, as its first start left it: making its tables and its reserve anew is half of what opening one costs. */
export async function layStore(file: string): Promise<void> {
	if (existsSync(file)) {
		return;
	}

	const files = await (laid ??= firstStart());
	mkdirSync(dirname(file), {recursive: true, mode: 0o700});
	for (const [suffix, bytes] of files) {
		writeFileSync(`${file}${suffix}`, bytes, {mode: 0o600});
	}

	linkIfMissing(reserve, `${file}.reserve`);
}
