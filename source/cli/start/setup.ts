import {existsSync} from 'node:fs';
import {editConfig} from '../../config/edit-config.ts';
import {firstConfig} from '../../config/first-config.ts';
import {ensureHome} from '../../config/home-paths.ts';
import {loadConfig} from '../../config/load-config.ts';
import {
	planSetup,
	receiverEdits,
	setUp,
	type ReceiverSettings,
	type SetupSurroundings,
} from '../../config/set-up.ts';
import {warningOnSecrets} from '../../config/weak-secrets.ts';
import type {SetupDraft, SetupPlan} from '../../core/setup.ts';
import type {FieldRecord} from '../../nouns/field.ts';
import type {SetupForm} from '../../tui/dialogs/setup-form.ts';
import type {FormState} from '../../tui/forms/form.ts';
import {canAsk, confirmDiff} from '../console/ask-line.ts';
import type {Context} from '../console/context.ts';
import {printLines, tell} from '../console/print.ts';
import {askForm} from '../forms/ask-form.ts';
import {usableConfig} from '../home/receiver-facts.ts';

/**
 * Writes the receiver settings that were given to `config.yaml`, keeping its comments. Without any it asks for the fields of the interface, when there is somebody to ask; else
 * it says what to give (exit code 2). Whoever was asked gets the first key of the chat API, too.
 *
 * @throws SvcError `config_refused`, and as `editConfig` and `setUp` do
 * @see manual/commands.md
 */
export async function setUpReceiver(context: Context, given: ReceiverSettings): Promise<void> {
	if (Object.keys(given).length > 0) {
		await write(context, given);
	} else if (canAsk(context)) {
		await ask(context);
	} else {
		tell(context, 'Nothing to write: name at least one of --enable, --host, --port, --secret');
		context.exit(2);
	}
}

async function write(context: Context, settings: ReceiverSettings): Promise<void> {
	const paths = context.paths({mayBeNew: true});
	ensureHome(paths);
	const edits = receiverEdits(settings);
	const weak = settings.secret === undefined ? undefined : warningOnSecrets([settings.secret]);
	if (weak !== undefined) {
		tell(context, weak);
	}

	await editConfig(paths, edits, {clock: context.clock});
	printLines(context, [
		`Wrote ${edits.map(({path}) => path.join('.')).join(', ')} to ${paths.config}`,
		takenOver,
	]);
}

const takenOver = 'A gateway that runs takes it over; host and port need a restart.';

/** Asks until the answers can be written, shows the difference, and asks for a yes. Nothing is written before it, and no folder is made. */
async function ask(context: Context): Promise<void> {
	const {newSetup, setupDraft, stepProblem, steps} =
		await import('../../tui/dialogs/setup-form.ts');
	const paths = context.paths({mayBeNew: true});
	const isNew = !existsSync(paths.config);
	const surroundings: SetupSurroundings = {
		config: usableConfig(context, {paths, ...(isNew && {text: firstConfig()})}),
		load: text => loadConfig({paths, environment: context.environment, text}),
		restartNeeded: () => [],
	};
	const {now} = planSetup({}, surroundings);
	const fields = steps.flatMap(step => step.fields(now));
	const begun = newSetup(now);
	let setup: SetupForm = {...begun, form: {...begun.form, fields}};
	for (;;) {
		// oxlint-disable-next-line no-await-in-loop -- until it can be written
		const asked = await askForm(context, setup.form, {isAsked});
		if (asked.kind !== 'filled') {
			tell(context, 'Nothing was written');
			context.exit(asked.kind === 'left' && asked.interrupted ? 130 : 1);
			return;
		}

		setup = {...setup, form: asked.form};
		const draft = setupDraft(setup, true);
		const plan = planSetup(draft, surroundings);
		const problem = stepProblem(setup) ?? plan.problems[0];
		if (problem === undefined) {
			// oxlint-disable-next-line no-await-in-loop -- the last round
			await writeAsked(context, {draft, plan, isNew, surroundings});
			return;
		}

		tell(context, `Not so: ${problem}`);
	}
}

/** Whether an answer of before makes it a question. */
const isAsked = ({key}: FieldRecord, {way, name}: FormState['values']): boolean =>
	(key !== 'secret' || way === 'type') && (!['events', 'prompt'].includes(key) || Boolean(name));

async function writeAsked(
	context: Context,
	{
		draft,
		plan,
		isNew,
		surroundings,
	}: {
		readonly draft: SetupDraft;
		readonly plan: SetupPlan;
		readonly isNew: boolean;
		readonly surroundings: SetupSurroundings;
	},
): Promise<void> {
	if (plan.diff.length === 0 && !isNew) {
		tell(context, 'There is nothing to write');
	} else if (await confirmDiff(context, plan)) {
		const {paths} = surroundings.config;
		ensureHome(paths);
		const {secret} = await setUp(
			{...draft, fingerprint: plan.fingerprint},
			{surroundings, clock: context.clock},
		);
		printLines(context, [
			`Wrote ${paths.config}`,
			...(secret === undefined ? [] : [`secret  ${secret}   (shown once)`]),
			takenOver,
		]);
		const {printFirstKey} = await import('../keys/first-key.ts');
		await printFirstKey(context);
	}
}
