import {literal, safe} from '../../terminal/text/safe.ts';
import type {Command} from '../acts/command.ts';
import {copyText} from '../acts/copy.ts';
import {isComplete} from '../acts/form.ts';
import {change} from '../acts/navigate.ts';
import {changeOverlay, close, closing, isKind} from '../acts/overlay-state.ts';
import {review} from '../acts/review.ts';
import {clean} from '../lines/line.ts';
import {newSetup, setupDraft, stepProblem, type SetupCard} from '../setup/setup-card.ts';
import type {Shell} from '../shell/shell.ts';

const cardNow = ({view}: Shell): SetupCard | undefined => {
	const {overlay} = view.get();
	return isKind(overlay, 'setup') ? overlay.card : undefined;
};

const changeCard = (shell: Shell, update: (card: SetupCard) => SetupCard): void => {
	changeOverlay(shell, 'setup', ({kind, card}) => ({kind, card: update(card)}));
};

const isAt = (shell: Shell, kind: SetupCard['stage']['kind']): boolean =>
	cardNow(shell)?.stage.kind === kind;

/** Asks for the settings of the receiver and a first route. */
export function openSetup(shell: Shell): void {
	const before = shell.view.get().overlay;
	shell.attempt(async () => {
		const {now} = await shell.port.planSetup({});
		// Somebody may have opened something else meanwhile.
		if (shell.view.get().overlay === before) {
			change(shell, {overlay: {kind: 'setup', card: newSetup(now)}, field: undefined});
		}
	});
}

function next(shell: Shell): void {
	const card = cardNow(shell);
	if (!card || !isComplete(shell, literal('Not yet'))) {
		return;
	}

	const problem = stepProblem(card);
	if (problem !== undefined) {
		shell.toast(safe`Not yet: ${clean(problem)}`, 'warn');
	} else if (card.index < card.forms.length - 1) {
		changeCard(shell, now => ({...now, index: now.index + 1}));
	} else {
		plan(shell, {withRoute: true});
	}
}

/** Shows what would be written, or why it cannot be. */
function plan(shell: Shell, {withRoute}: {readonly withRoute: boolean}): void {
	const card = cardNow(shell);
	if (!card) {
		return;
	}

	const draft = setupDraft(card, {withRoute});
	shell.attempt(async () => {
		const planned = await shell.port.planSetup(draft);
		const [problem] = planned.problems;
		if (cardNow(shell) !== card) {
			return;
		}

		if (problem !== undefined) {
			shell.toast(safe`Not so: ${clean(problem)}`, 'warn');
		} else if (planned.diff.length === 0) {
			shell.toast(literal('There is nothing to write'));
		} else {
			const {fingerprint} = planned;
			changeCard(shell, now => ({
				...now,
				stage: {kind: 'diff', plan: planned, draft: {...draft, fingerprint}, top: 0},
			}));
		}
	});
}

function back(shell: Shell): void {
	changeCard(shell, card =>
		card.stage.kind === 'diff'
			? {...card, stage: {kind: 'form'}}
			: {...card, index: Math.max(0, card.index - 1)},
	);
}

/** Writes what was shown. */
function write(shell: Shell): void {
	const stage = cardNow(shell)?.stage;
	if (stage?.kind !== 'diff') {
		return;
	}

	// A second key press finds the form; when it fails, what was filled in is there.
	changeCard(shell, card => ({...card, stage: {kind: 'form'}}));
	const card = cardNow(shell);
	shell.attempt(async () => {
		const written = await shell.port.setUp(stage.draft);
		if (card && (cardNow(shell) || written.secret !== undefined)) {
			// A secret that was made is shown whatever was opened meanwhile: nobody can ask for it again.
			change(shell, {
				overlay: {kind: 'setup', card: {...card, stage: {kind: 'done', written}}},
				field: undefined,
			});
		} else {
			shell.toast(safe`The receiver is set up in ${clean(written.file)}`, 'good');
		}
	});
}

function scroll(shell: Shell, rows: number): void {
	changeCard(shell, card => {
		const {stage} = card;
		return stage.kind === 'diff'
			? {
					...card,
					stage: {...stage, top: Math.max(0, stage.top + rows)},
				}
			: card;
	});
}

/** How the card is reached. */
export const setupActs: readonly Command[] = [
	{
		id: 'setup.open',
		changes: true,
		scope: 'global',
		keys: [],
		label: literal('set up the receiver: port, secret, a first route'),
		aliases: ['/setup'],
		run: openSetup,
	},
];

/** Keys of the card. */
export const setupCommands: readonly Command[] = [
	{
		id: 'setup.next',
		scope: 'setup',
		keys: ['a'],
		label: literal('next step; after the last what would be written'),
		when: shell => isAt(shell, 'form'),
		run: next,
	},
	{
		id: 'setup.skip',
		scope: 'setup',
		keys: ['s'],
		label: literal('no route now'),
		when: shell => isAt(shell, 'form') && cardNow(shell)?.index === 2,
		run(shell) {
			plan(shell, {withRoute: false});
		},
	},
	{
		id: 'setup.write',
		changes: true,
		scope: 'setup',
		keys: ['w'],
		label: literal('write it'),
		when: shell => isAt(shell, 'diff'),
		run: write,
	},
	{
		id: 'setup.back',
		scope: 'setup',
		keys: ['b'],
		label: literal('a step back'),
		when: shell => isAt(shell, 'diff') || (isAt(shell, 'form') && cardNow(shell)?.index !== 0),
		run: back,
	},
	{
		id: 'setup.copy',
		scope: 'setup',
		keys: ['c'],
		label: literal('copy the secret'),
		when(shell) {
			const stage = cardNow(shell)?.stage;
			return stage?.kind === 'done' && stage.written.secret !== undefined;
		},
		run(shell) {
			const stage = cardNow(shell)?.stage;
			const secret = stage?.kind === 'done' ? stage.written.secret : undefined;
			if (secret !== undefined) {
				shell.attempt(async () => copyText(shell, secret, literal('secret')));
			}
		},
	},
	{
		id: 'setup.down',
		scope: 'setup',
		keys: ['j', 'down'],
		label: literal('down'),
		when: shell => isAt(shell, 'diff'),
		run(shell) {
			scroll(shell, 1);
		},
	},
	{
		id: 'setup.up',
		scope: 'setup',
		keys: ['k', 'up'],
		label: literal('up'),
		quiet: true,
		when: shell => isAt(shell, 'diff'),
		run(shell) {
			scroll(shell, -1);
		},
	},
	{
		id: 'setup.review',
		scope: 'setup',
		keys: ['!'],
		label: literal('review approvals'),
		quiet: true,
		run: review,
	},
	{
		id: 'setup.done',
		scope: 'setup',
		keys: ['enter'],
		label: literal('close'),
		when: shell => isAt(shell, 'done'),
		run: close,
	},
	closing('setup', ['esc', 'ctrl+c', 'q'], literal('leave it')),
];
