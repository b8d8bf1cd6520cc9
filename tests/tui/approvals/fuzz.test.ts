// @module-tag slow
import {expect, test} from 'vitest';
import {lineText} from '../../../source/terminal/text/line-editor.ts';
import {dialogNow} from '../../../source/tui/acts/dialog.ts';
import {goToStep, sheetNow} from '../../../source/tui/acts/sheet.ts';
import {installConfirm} from '../../../source/tui/dialogs/install-sheet.ts';
import type {Shell} from '../../../source/tui/shell/shell.ts';
import {fuzzApprovals} from '../../soak/approvals.ts';

test('"no `allow` reaches the port without a legal allow key after arming with everything shown", as the frames have shown it', async () => {
	const drawn = await fuzzApprovals({inputs: 40, seed: 3});
	const {allowed, lasting, denied, illegal} = await fuzzApprovals({
		inputs: 700,
		seed: 3,
		isOnInk: false,
	});

	const form = await fuzzApprovals({inputs: 60, seed: 501, isOnInk: false});

	expect([...drawn.illegal, ...illegal, ...form.illegal]).toEqual([]);
	// Legal keys do allow: a sheet that refuses everybody would pass otherwise.
	expect(allowed).toBeGreaterThan(2);
	expect(lasting).toBeGreaterThan(0);
	expect(denied).toBeGreaterThan(0);
});

test('no tool server is installed from a link without a legal key, a name that was typed and everything shown', async () => {
	const drawn = await fuzzApprovals({inputs: 40, seed: 3, withInstalls: true});
	const {installed, illegal} = await fuzzApprovals({
		inputs: 500,
		seed: 1,
		isOnInk: false,
		withInstalls: true,
	});

	expect([...drawn.illegal, ...illegal]).toEqual([]);
	expect(installed).toBeGreaterThan(2);
});

const notices = async (broken: Partial<Parameters<typeof fuzzApprovals>[0]>) => {
	const {illegal} = await fuzzApprovals({
		inputs: 700,
		seed: 11,
		isOnInk: false,
		stopsAtFirst: true,
		...broken,
	});
	return illegal.join('\n');
};

test('the fuzz notices a guard that takes bursts', async () => {
	expect(
		await notices({guard: {permits: (_, {alone}) => !alone, waitMs: () => 0}, seed: 13}),
	).toContain('alone');
});

/** As if every row were on the screen with the first frame. */
function pretendAllShown(shell: Shell): void {
	const {dialog, state} = dialogNow(shell) ?? {};
	const {asked} = (state && dialog?.page?.(state, shell, {width: 0, height: 0})) ?? {};
	if (asked) {
		const parts = Object.entries(asked.asked).map(([part, text]) => [
			part,
			text && {...text, shown: [{first: 0, last: Infinity}]},
		]);
		dialog?.shown?.(shell, {of: asked.of, asked: Object.fromEntries(parts)});
	}
}

test('the fuzz notices a sheet that takes rows for seen that were not', async () => {
	expect(await notices({afterFrame: pretendAllShown})).toContain('were never on the screen');
});

/** As if the name had been typed as soon as it is asked for, where a rule is to last. */
function typeForThem(shell: Shell): void {
	const {sheet, approval} = sheetNow(shell) ?? {};
	if (sheet?.step.kind === 'name' && sheet.step.scope === 'always' && approval?.kind === 'tool') {
		goToStep(shell, {...sheet.step, text: lineText(approval.tool.tool)});
	}
}

test('the fuzz notices a lasting rule whose name nobody typed', async () => {
	expect(await notices({afterFrame: typeForThem, seed: 12})).toContain('the name was not typed');
});

/** As if the name had been typed as soon as it is asked for. */
function nameForThem(shell: Shell): void {
	installConfirm.change(shell, now => ({...now, text: lineText(now.sheet.review.name)}));
}

test.for([
	[
		'keys that came too early',
		'typing|focus|held down',
		{seed: 1, guard: {permits: () => true, waitMs: () => 0}},
	],
	['rows that were not on the screen', 'were never on', {seed: 3, afterFrame: pretendAllShown}],
	['a name that nobody typed', 'the name was not typed', {seed: 2, afterFrame: nameForThem}],
] as const)('the fuzz notices a link that is installed with %s', async ([, said, broken]) => {
	expect(await notices({...broken, withInstalls: true})).toMatch(
		new RegExp(`"install".*(?:${said})`),
	);
});
