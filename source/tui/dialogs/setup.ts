import {literal, safe} from '../../terminal/text/safe.ts';
import type {Command} from '../acts/command.ts';
import {copyText} from '../acts/copy.ts';
import {
	close,
	closing,
	defineDialog,
	dialogState,
	scrolling,
	type Area,
	type BoxContent,
} from '../acts/dialog.ts';
import {blankLine, clean, line} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {scrolledBox, titled} from './box.ts';
import {
	newSetup,
	setupDraft,
	setupForm,
	stepProblem,
	stepTitles,
	withSetupForm,
	type SetupCard,
} from './setup-card.ts';
import {setupDoneLines, setupPlanLines} from './setup-lines.ts';
import {formBox, isComplete, reviewing} from './wizard.ts';

/** The settings of the receiver that a person fills in. */
export const setup = dialogState<{readonly card: SetupCard}>('setup');

const cardNow = (shell: Shell): SetupCard | undefined => setup.now(shell)?.card;

const changeCard = (shell: Shell, update: (card: SetupCard) => SetupCard): void => {
	setup.change(shell, ({card}) => ({card: update(card)}));
};

const isAt =
	(kind: SetupCard['stage']['kind']) =>
	(shell: Shell): boolean =>
		cardNow(shell)?.stage.kind === kind;

const writtenSecret = (shell: Shell): string | undefined => {
	const {stage} = cardNow(shell) ?? {};
	return stage?.kind === 'done' ? stage.written.secret : undefined;
};

/** Asks for the settings of the receiver and a first route. */
export function openSetup(shell: Shell): void {
	const before = shell.view.get().overlay;
	shell.attempt(async () => {
		const {now} = await shell.port.planSetup({});
		// Somebody may have opened something else meanwhile.
		if (shell.view.get().overlay === before) {
			setup.open(shell, {card: newSetup(now)}, {field: undefined});
		}
	});
}

function next(shell: Shell): void {
	const card = cardNow(shell);
	if (!card || !isComplete(shell, literal('Not yet'), stepProblem(card))) {
		return;
	}

	if (card.index < card.forms.length - 1) {
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
			setup.open(shell, {card: {...card, stage: {kind: 'done', written}}}, {field: undefined});
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

const widest = 96;

const title = titled(literal('Set up the receiver'));

/** A step of it, what would be written, or what was. */
function contents({card}: {readonly card: SetupCard}, _shell: Shell, room: Area): BoxContent {
	const width = Math.min(room.width, widest);
	const {stage, index, forms} = card;
	const form = setupForm(card);
	if (form) {
		const keys =
			index < forms.length - 1
				? literal('  a goes on, Esc leaves everything as it is')
				: literal(
						'  a shows what would be written, s does without a route, Esc leaves all as it is',
					);
		return formBox(
			{
				form,
				title,
				head: [
					blankLine,
					line(
						safe`  ${index + 1} of ${forms.length}: ${clean(stepTitles[index] ?? '')}`,
						'strong',
					),
					blankLine,
				],
				foot: [blankLine, line(keys, 'quiet')],
			},
			width,
		);
	}

	if (stage.kind === 'diff') {
		return {
			title,
			...scrolledBox(setupPlanLines(stage.plan, width), stage.top, room.height),
			width,
		};
	}

	const rows = stage.kind === 'done' ? setupDoneLines(stage.written, width) : [];
	return {title, rows, shown: rows.length - 1, width};
}

export const setupDialog = defineDialog(setup, {
	title: 'Setting up the receiver',
	contents,
	form: {
		get: ({card}) => setupForm(card),
		set: ({card}, form) => ({card: withSetupForm(card, form)}),
	},
	comesBack: true,
	settle(state, top) {
		const {card} = state;
		return card.stage.kind === 'diff' && card.stage.top > top
			? {card: {...card, stage: {...card.stage, top}}}
			: state;
	},
	commands: [
		{
			id: 'setup.next',
			keys: ['a'],
			label: literal('next step; after the last what would be written'),
			when: isAt('form'),
			run: next,
		},
		{
			id: 'setup.skip',
			keys: ['s'],
			label: literal('no route now'),
			when: shell => isAt('form')(shell) && cardNow(shell)?.index === 2,
			run(shell) {
				plan(shell, {withRoute: false});
			},
		},
		{
			id: 'setup.write',
			changes: true,
			keys: ['w'],
			label: literal('write it'),
			when: isAt('diff'),
			run: write,
		},
		{
			id: 'setup.back',
			keys: ['b'],
			label: literal('a step back'),
			when: shell => isAt('diff')(shell) || (isAt('form')(shell) && cardNow(shell)?.index !== 0),
			run: back,
		},
		{
			id: 'setup.copy',
			keys: ['c'],
			label: literal('copy the secret'),
			when: shell => writtenSecret(shell) !== undefined,
			run(shell) {
				const secret = writtenSecret(shell);
				if (secret !== undefined) {
					shell.attempt(async () => copyText(shell, secret, literal('secret')));
				}
			},
		},
		...scrolling('setup', scroll, {
			names: ['down', 'up'],
			more: name => ({quiet: name === 'up', when: isAt('diff')}),
		}),
		reviewing('setup'),
		{id: 'setup.done', keys: ['enter'], label: literal('close'), when: isAt('done'), run: close},
		closing('setup', ['esc', 'ctrl+c', 'q'], literal('leave it')),
	],
});
