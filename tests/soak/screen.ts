import type {GatewayEvent} from '../../source/core/events.ts';
import {attackCorpus} from '../helpers/attack-corpus.ts';
import {createFakePort} from '../helpers/fake-port.ts';
import {foreignSequences} from '../helpers/foreign-sequences.ts';
import {makeToolApproval} from '../helpers/make-approval.ts';
import {makeDelivery, makeGroup, makeRun, received, runChanged} from '../helpers/make.ts';
import {randomOf} from '../helpers/random.ts';
import {freshPicture, showShell, testNow} from '../helpers/show-shell.tsx';

export type ScreenFuzz = {
	readonly steps: number;
	/** How often the screen was compared with one that was drawn from nothing. */
	readonly compared: number;
	/** What did not hold, as sentences. */
	readonly wrong: readonly string[];
};

const esc = '\u001B';

/** All but those that allow a request (`a` `r` `s` `A`, and `v`, which leads to a rule). */
const keys = [
	...'12345678jkgGfzyn?:/ dDwmxXtTbpSWoeR<>!'.split(''),
	...'enter esc tab shift+tab up down left right pgup pgdn home end backspace delete'.split(' '),
	...'ctrl+k ctrl+u ctrl+d ctrl+l alt+a'.split(' '),
];

/** What a terminal may send that is no key. */
const strange = [
	`${esc}[<64;10;10M`,
	`${esc}[<0;35;4M`,
	`${esc}[<0;35;4m`,
	`${esc}[I`,
	`${esc}[O`,
	`${esc}[?1u`,
	`${esc}[200~rm -rf\r\n${esc}[31m日本👩‍👩‍👧${esc}[201~`,
	`${esc}[200~never ended`,
	`${esc}[201~`,
	`${esc}[1;5`,
	'\u0000\u0001',
	'日本 é 👩‍👩‍👧',
	'jjjj\r',
];

/** Sizes with room and without. */
const sizes = [
	[120, 36],
	[80, 24],
	[60, 16],
	[100, 30],
	[59, 20],
	[200, 60],
	[20, 5],
	[70, 40],
] as const;

/** After so many steps the screen is compared. */
const compareEvery = 25;

/**
 * Presses, pastes, clicks, tears bytes apart, changes the size and lets hostile things happen at random, through the real input front-end and Ink's incremental drawing. What
 * must hold: the interface lives, the frame is as high as the terminal, the screen is what it would be if it were drawn from nothing, only known sequences are
 * written, and nothing is allowed: keys that allow are never pressed alone.
 */
export async function fuzzScreen({
	steps,
	seed,
}: {
	readonly steps: number;
	readonly seed: number;
}): Promise<ScreenFuzz> {
	const random = randomOf(seed);
	const upTo = (count: number) => Math.floor(random() * count);
	const pick = <Item>(items: readonly Item[]): Item => items[upTo(items.length)] as Item;
	const port = createFakePort();
	await using shown = await showShell(port, {columns: 100, rows: 30});
	const wrong: string[] = [];
	let [done, compared, lookedAt] = [0, 0, 0];
	let id = 0;

	const happening = (): GatewayEvent => {
		id += 1;
		const text = pick(attackCorpus).slice(0, 300);
		const at = testNow + id;
		return pick([
			() => received(makeDelivery({route: text, event: text, subject: text, receivedAt: at})),
			() => runChanged(makeRun({id: 1 + upTo(50), state: 'running', route: text, subject: text})),
			() => ({type: 'group-changed', at, group: makeGroup({id: 1 + upTo(9), key: text})}) as const,
			() =>
				({type: 'approval-requested', at, approval: makeToolApproval({id, route: text})}) as const,
			() =>
				({
					type: 'log-written',
					at,
					record: {at, level: 'warn', source: 'mcp', message: text, fields: {}},
				}) as const,
		])();
	};

	const step = async () => {
		const chance = random();
		if (chance < 0.6) {
			await shown.screen.press(pick(keys));
		} else if (chance < 0.72) {
			const bytes = Buffer.from(pick(strange));
			const cut = upTo(bytes.length + 1);
			await shown.screen.feed(bytes.subarray(0, cut));
			await shown.screen.feed(bytes.subarray(cut));
		} else if (chance < 0.9) {
			port.emit(...Array.from({length: 1 + upTo(4)}, happening));
			await shown.pass(100);
		} else {
			const [columns, rows] = pick(sizes);
			await shown.resize({columns, rows});
		}
	};

	const look = async () => {
		const {size} = shown.shell.view.get();
		// What was held for its rest has been let go of.
		await shown.screen.feed(`${esc}[201~`);
		await shown.pass(100);
		compared += 1;
		const where = `seed ${seed}, after ${done} steps`;
		if (shown.screen.lines().length !== size.rows) {
			wrong.push(`${where}: ${shown.screen.lines().length} rows instead of ${size.rows}`);
		}

		if (shown.screen.picture() !== (await freshPicture(shown))) {
			wrong.push(`${where}: the screen is not what it would be if it were drawn anew`);
		}

		const written = shown.screen.written();
		const foreign = foreignSequences(written.slice(lookedAt));
		lookedAt = written.length;
		wrong.push(...foreign.map(one => `${where}: it wrote ${one}`));
	};

	while (done < steps && wrong.length < 10) {
		try {
			// oxlint-disable-next-line no-await-in-loop -- one step after the other
			await step();
			done += 1;
			if (done % compareEvery === 0 || done === steps) {
				// oxlint-disable-next-line no-await-in-loop -- as above
				await look();
			}
		} catch (error) {
			wrong.push(`seed ${seed}, after ${done} steps: it threw ${String(error)}`);
		}
	}

	const allowed = port.calls.filter(
		({name, args}) => name === 'settleApproval' && JSON.stringify(args).includes('"allow"'),
	);
	wrong.push(...allowed.map(({args}) => `seed ${seed}: allowed ${JSON.stringify(args)}`));
	return {steps: done, compared, wrong};
}
