import {createReadStream, readdirSync, readFileSync, statfsSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {DatabaseSync} from 'node:sqlite';
import {setTimeout as wait} from 'node:timers/promises';
import {nodeFlags} from '../../source/core/program.ts';
import {foreignSequences} from '../../tests/helpers/foreign-sequences.ts';
import {openPty} from '../../tests/helpers/pty.ts';
import {randomOf, runSeed} from '../../tests/helpers/random.ts';
import {svcCommand, svcEnvironment} from '../../tests/helpers/svc.ts';
import {busyConfig} from '../bench/busy-config.ts';
import {answering, freePort, loopDelayMs} from '../bench/free-port.ts';
import {makeHome} from '../bench/home.ts';
import {rssMbOf} from '../bench/process-usage.ts';
import {startLoad} from '../bench/tui/start-load.ts';
import {judgeSamples, type Sample} from './judge-samples.ts';

const usualMinutes = 60;
const perSecond = 200;
const sampleMs = 10_000;

/** Bodies are dropped beyond it; the rows of an hour take less than a gigabyte. */
const bodyBytes = 100_000_000;
const neededBytes = 3e9;

/** Nothing that would change, copy or end anything. */
const looking = [
	...'1234578'.split('').map(key => [key]),
	...['j', 'k', 'pgdn', 'pgup', 'g', 'G', 'f', 'z', 'tab'].map(key => [key]),
	['enter', 'j', 'pgdn', 'esc'],
	['?', 'pgdn', 'esc'],
	['/', 'r', 'esc', 'esc'],
];

/**
 * The built program with gateway and screen in a pseudo terminal, under 200 signed events a second over HTTP and a person's keys now and then, for an hour unless said
 * otherwise. Linux only, for what it reads of the process.
 */
export async function soakTui({
	minutes = usualMinutes,
}: {
	readonly minutes: number | undefined;
}): Promise<boolean> {
	const {bavail, bsize} = statfsSync(tmpdir());
	if (bavail * bsize < neededBytes) {
		process.stderr.write(`Cannot soak: "${tmpdir()}" has less than ${neededBytes / 1e9} GB left\n`);
		return false;
	}

	const port = await freePort();
	using home = makeHome(busyConfig({port, sections: `retention: {body_bytes: ${bodyBytes}}`}));
	const accepted = join(home.path, 'accepted.txt');
	const watch = watchFrames();
	await using terminal = openPty(process.execPath, [...nodeFlags, svcCommand[1]], {
		env: {...svcEnvironment({home: home.path}), FORCE_COLOR: '3'},
		onOutput(data) {
			watch.take(data);
		},
	});
	await terminal.waitForText('Traffic');
	await answering(port);

	await using load = startLoad({port, perSecond, accepted});

	process.stdout.write(`drawn with SEED=${runSeed}\n`);
	const random = randomOf(runSeed);
	const samples: Sample[] = [];
	const rounds = Math.max(1, Math.round((minutes * 60_000) / sampleMs));
	for (let round = 0; round < rounds; round += 1) {
		await wait(sampleMs / 2);
		terminal.press(...(looking[Math.floor(random() * looking.length)] ?? []));
		await wait(sampleMs / 2);
		const loopMs = await loopDelayMs(port);
		const sample = takeSample(terminal.pid, ((round + 1) * sampleMs) / 1000, loopMs);
		samples.push(sample);
		process.stderr.write(`${JSON.stringify(sample)}\n`);
	}

	const {failed, reasons} = await load.report();
	await load[Symbol.asyncDispose]();
	// What is answered is in the journal already; the end lets nothing go either.
	terminal.kill('SIGTERM');
	const {exitCode} = await terminal.exited;

	const {events, lost} = await lostOf(accepted, join(home.path, 'state.db'));
	const {wrong, ...facts} = judgeSamples(samples);
	const all = [
		...wrong,
		...(failed > 0 ? [`${failed} requests were not taken: ${JSON.stringify(reasons)}`] : []),
		...(events === 0 ? ['no event was accepted'] : []),
		...(lost > 0 ? [`${lost} of ${events} events that were accepted are not in the journal`] : []),
		...(exitCode === 0 || exitCode === 130 || exitCode === 143
			? []
			: [`it ended with ${exitCode}`]),
		...watch.end().map(one => `it wrote ${one}`),
	];
	process.stdout.write(
		`${JSON.stringify({minutes, ...facts, events, lost, exitCode, bytes: watch.bytes(), wrong: all}, undefined, 2)}\n`,
	);
	return all.length === 0;
}

const endOfFrame = '\u001B[?2026l';

/** Looks for foreign sequences frame by frame, and keeps nothing else. */
function watchFrames() {
	let rest = '';
	let bytes = 0;
	const foreign: string[] = [];
	const look = (text: string) => {
		if (foreign.length < 10) {
			foreign.push(...foreignSequences(text));
		}
	};

	return {
		take(data: string) {
			bytes += Buffer.byteLength(data);
			rest += data;
			const end = rest.lastIndexOf(endOfFrame);
			if (end !== -1) {
				look(rest.slice(0, end + endOfFrame.length));
				rest = rest.slice(end + endOfFrame.length);
			}
		},
		end(): readonly string[] {
			look(rest);
			rest = '';
			return foreign;
		},
		bytes: () => bytes,
	};
}

function takeSample(pid: number, seconds: number, loopMs: number | undefined): Sample {
	return {
		seconds,
		rssMb: rssMbOf(pid),
		...(loopMs !== undefined && {loopMs}),
		descriptors: readdirSync(`/proc/${pid}/fd`).length,
		children: readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
			.split(' ')
			.filter(child => child !== '').length,
	};
}

/** How many of the events in `accepted` the journal does not know. Of those that no filter let pass it notes fifty a second, whatever comes. */
async function lostOf(accepted: string, journal: string) {
	const missing = new Set<string>();
	for await (const id of createInterface({input: createReadStream(accepted)})) {
		missing.add(id);
	}

	const events = missing.size;
	using store = new DatabaseSync(journal, {readOnly: true});
	for (const {id} of store.prepare('SELECT delivery_id AS id FROM delivery').iterate()) {
		missing.delete(String(id));
	}

	return {events, lost: missing.size};
}
