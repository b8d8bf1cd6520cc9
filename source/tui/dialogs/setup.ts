import type {SetupDraft, SetupPlan, WrittenSetup} from '../../core/setup.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {inScope, onKeys, type Command, type ListedCommand} from '../acts/command.ts';
import {copying} from '../acts/copy.ts';
import {close, defineWizard, dialogState, step} from '../acts/dialog.ts';
import {saveKeys} from '../forms/form-keys.ts';
import {isUntouched} from '../forms/form.ts';
import {changeLines} from '../lines/diff-lines.ts';
import {blankLine, line, type Line, told} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {boxOf, titled} from './box.ts';
import {
	allFields,
	atStep,
	lastStep,
	newSetup,
	setupDraft,
	stepProblem,
	setupSteps,
	type SetupForm,
} from './setup-form.ts';
import {formBox, isComplete, leavingForm, ofForm, reviewing, scrolledDialog} from './wizard.ts';

/** The form for the receiver's settings. */
const setupForm = dialogState<SetupForm>('setup-form');

/** The diff before writing. `top`: rows scrolled away. */
export const setupDiff = dialogState<{
	readonly filled: SetupForm;
	readonly plan: SetupPlan;
	readonly draft: SetupDraft;
	readonly top: number;
}>('setup-diff');

/** The result of writing: the only time that a generated secret is shown. */
const setupDone = dialogState<WrittenSetup>('setup-done');

/** Asks for the receiver's settings and a first route. */
export function openSetup(shell: Shell): void {
	const before = shell.view.get().overlay;
	shell.attempt(async () => {
		const {now} = await shell.port.planSetup({});
		// Another dialog may be open by now.
		if (shell.view.get().overlay === before) {
			setupForm.open(shell, newSetup(now), {field: undefined});
		}
	});
}

function next(shell: Shell): void {
	const filled = setupForm.now(shell);
	if (!filled || !isComplete(shell, literal('Not yet'), stepProblem(filled))) {
		return;
	}

	if (filled.step < lastStep) {
		setupForm.change(shell, now => atStep(now, now.step + 1));
	} else {
		plan(shell, true);
	}
}

/** Shows what would be written, or why nothing can be. */
function plan(shell: Shell, withRoute: boolean): void {
	const filled = setupForm.now(shell);
	if (!filled) {
		return;
	}

	const draft = setupDraft(filled, withRoute);
	shell.attempt(async () => {
		const planned = await shell.port.planSetup(draft);
		const {problems, diff, fingerprint} = planned;
		const [problem] = problems;
		if (setupForm.now(shell) !== filled) {
			return;
		}

		if (problem !== undefined) {
			shell.toast(safe`Cannot be written: ${escapeLine(problem)}`, 'warn');
		} else if (diff.length === 0) {
			shell.toast(literal('There is nothing to write'));
		} else {
			setupDiff.open(shell, {filled, plan: planned, draft: {...draft, fingerprint}, top: 0});
		}
	});
}

function back(shell: Shell): void {
	const {filled} = setupDiff.now(shell) ?? {};
	if (filled) {
		setupForm.open(shell, filled);
	} else {
		setupForm.change(shell, now => atStep(now, Math.max(0, now.step - 1)));
	}
}

/** Writes what was shown. */
function write(shell: Shell): void {
	const {draft} = setupDiff.now(shell) ?? {};
	if (!draft) {
		return;
	}

	// The form returns at once: a second key press then writes nothing, and if writing fails, the input is still there.
	back(shell);
	shell.attempt(async () => {
		const written = await shell.port.setUp(draft);
		if (setupForm.isOpen(shell) || written.secret !== undefined) {
			// Opened even over another dialog: a new secret cannot be shown again.
			setupDone.open(shell, written, {field: undefined});
		} else {
			shell.toast(safe`The receiver is set up in ${escapeLine(written.file)}`, 'good');
		}
	});
}

/** Commands that open the setup. */
export const setupActs: readonly Command[] = inScope('global', [
	onKeys(['setup.open'], literal('set up the receiver: port, secret, a first route'), {
		changes: true,
		aliases: ['/setup'],
		run: openSetup,
	}),
]);

const widest = 96;
const title = literal('Set up the receiver');

const form = step(setupForm, {
	contents({form: filled, step: at}, _shell, room) {
		const hint =
			at < lastStep
				? literal('  a goes to the next step, Esc cancels')
				: literal('  a shows what would be written, s the same without a route, Esc cancels');
		const heading = safe`  ${at + 1} of ${setupSteps.length}: ${setupSteps[at]?.title ?? title}`;
		return formBox(
			{
				form: filled,
				title: titled(title),
				head: [blankLine, line(heading, 'strong'), blankLine],
				foot: [blankLine, line(hint, 'quiet')],
			},
			Math.min(room.width, widest),
		);
	},
	form: ofForm(),
	commands: [
		onKeys(['setup.next', ...saveKeys], literal('go on'), {run: next}),
		onKeys(['setup.skip', 's'], literal('no route'), {
			when: shell => setupForm.now(shell)?.step === lastStep,
			run: shell => plan(shell, false),
		}),
	],
});

const restartText = (keys: readonly string[]): string =>
	keys.length === 0
		? 'No restart is needed.'
		: `The gateway has to be restarted for ${keys.join(', ')}.`;

/** What writing changes, and what takes effect only after a restart. */
export const setupPlanLines = (planned: SetupPlan, width: number): readonly Line[] => [
	blankLine,
	...changeLines(planned, width, literal('  ')),
	...told(restartText(planned.restartNeeded), width),
	...told('a writes it, b goes back, Esc cancels', width, 'quiet'),
];

const scrolled = scrolledDialog(setupDiff, {
	id: 'setup',
	title,
	widest,
	rows: ({plan: planned}, width) => setupPlanLines(planned, width),
	more: name => ({quiet: name === 'up'}),
});

const review = step(setupDiff, {
	...scrolled,
	commands: [
		onKeys(['setup.write', ...saveKeys], literal('write it'), {changes: true, run: write}),
		...scrolled.commands,
	],
});

/** What was written. */
const done = step(setupDone, {
	contents({file, secret, restartNeeded}, _shell, room) {
		const box = boxOf(room, {title, widest}, width => [
			blankLine,
			...told(`✓ Written to ${file}`, width, 'good'),
			...told(restartText(restartNeeded), width),
			...(secret === undefined
				? []
				: [
						blankLine,
						...told('Secret, which will not be shown again; c copies it', width, 'warn'),
						...told(secret, width, 'strong'),
					]),
			blankLine,
			line(literal('  Enter closes this'), 'quiet'),
		]);
		return {...box, shown: box.rows.length - 1};
	},
	commands: [
		onKeys(['setup.copy', 'c'], literal('copy the secret'), {
			when: shell => setupDone.now(shell)?.secret !== undefined,
			run: copying(literal('secret'), shell => setupDone.now(shell)?.secret),
		}),
		onKeys(['setup.done', 'enter'], literal('close'), {run: close}),
	],
});

const keys: readonly ListedCommand[] = [
	onKeys(['setup.back', 'b'], literal('back'), {
		when: shell => setupDiff.isOpen(shell) || (setupForm.now(shell)?.step ?? 0) > 0,
		run: back,
	}),
	reviewing('setup'),
	leavingForm('setup', literal('leave'), {
		isUntouched(shell) {
			const filled = setupForm.now(shell) ?? setupDiff.now(shell)?.filled;
			return !filled || isUntouched({...filled.form, fields: allFields(filled.now)});
		},
	}),
];

export const setupDialogs = defineWizard('setup', {title: 'Setting up the receiver', keys}, [
	form,
	review,
	done,
]);
