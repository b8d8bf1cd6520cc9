import {existsSync} from 'node:fs';
import type {LoadedConfig} from '../../config/config.ts';
import {editConfig} from '../../config/edit-config.ts';
import type {YamlEdit} from '../../config/edit-yaml.ts';
import {firstConfig} from '../../config/first-config.ts';
import {formatDiagnostic} from '../../config/format-diagnostic.ts';
import {ensureHome} from '../../config/home-paths.ts';
import {loadConfig} from '../../config/load-config.ts';
import {valueAt} from '../../config/plain-data.ts';
import {
	planSetup,
	receiverEdits,
	setUp,
	warningOnReplaced,
	type ReceiverSettings,
	type SetupSurroundings,
} from '../../config/set-up.ts';
import {warningOnSecrets} from '../../config/weak-secrets.ts';
import {SvcError} from '../../core/errors.ts';
import {isJsonObject} from '../../core/json.ts';
import {compact} from '../../core/names.ts';
import type {SetupDraft, SetupPlan} from '../../core/setup.ts';
import {unknownTarget} from '../../delivery/deliverer.ts';
import type {FieldRecord} from '../../nouns/field.ts';
import {platformKinds, platformNamed} from '../../platforms/platforms.ts';
import type {TargetKind} from '../../platforms/target-kind.ts';
import type {FormState} from '../../tui/forms/form.ts';
import {askLine, canAsk, confirmDiff, isYes} from '../console/ask-line.ts';
import type {Context} from '../console/context.ts';
import {printLines, tell, tellEach, tellSentences} from '../console/print.ts';
import {askForm} from '../forms/ask-form.ts';
import {readConfig, urlOf, usableConfig} from '../home/receiver-facts.ts';

/**
 * Writes the given receiver settings to `config.yaml`, keeping its comments. If none are given, asks for the fields of the interface's form, or without a terminal
 * says what to give (exit code 2). After questions, also creates the first key of the chat API.
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
	const load = () => loadConfig({paths, environment: context.environment});
	const before = load();
	let edits: readonly YamlEdit[] = [];
	const editsFor = (written: unknown) => {
		edits = receiverEdits(settings, written);
		return edits;
	};
	await editConfig(paths, editsFor, {clock: context.clock});
	const next = load();
	const warnings = [
		warningOnSecrets(compact([settings.secret])),
		before.ok && next.ok && warningOnReplaced(before.config, next.config),
	];
	tellEach(context, compact(warnings));
	printLines(context, [
		`Wrote ${edits.map(({path}) => path.join('.')).join(', ')} to ${paths.config}`,
		...nextSteps(next),
	]);
}

/** What to do once the receiver is set up. `route`: a first one was made in config.yaml. */
const nextSteps = (loaded: LoadedConfig, route?: string): readonly string[] => [
	...(loaded.ok
		? ['A running gateway applies this at once; host and port need a restart.']
		: loaded.problems.map(formatDiagnostic)),
	...(loaded.ok && loaded.config.webhook.enabled
		? [
				'Start:  svc starts the gateway and shows it; svc gateway starts it in the background',
				route === undefined
					? 'Test:   svc webhook subscribe NAME makes a route; svc webhook test NAME sends it an event'
					: `Test:   T in pane 5 Routes of svc sends an event to ${route}`,
				`Where:  senders post to ${urlOf(loaded.config)}/webhooks/${route ?? 'NAME'}`,
			]
		: []),
];

/** Asks for the fields of the interface's form. */
async function ask(context: Context): Promise<void> {
	const {
		newSetup,
		setupDraft,
		stepProblem,
		setupSteps: steps,
	} = await import('../../tui/dialogs/setup-form.ts');
	const surroundings = surroundingsOf(context);
	const {now} = planSetup({}, surroundings);
	const begun = newSetup(now);
	const written = await askAndWrite(context, surroundings, {
		begun: {...begun.form, fields: steps.flatMap(step => step.fields(now))},
		isAsked,
		draftOf: form => setupDraft({...begun, form}, true),
		problemOf: form => stepProblem({...begun, form}),
	});
	if (!written || written.isSame) {
		return;
	}

	const loaded = loadConfig({paths: context.paths(), environment: context.environment});
	printLines(context, [
		...(written.secret === undefined ? [] : [`secret  ${written.secret}   (shown once)`]),
		...nextSteps(loaded, written.route),
	]);
	const {printFirstKey} = await import('../keys/first-key.ts');
	await printFirstKey(context);
	printLines(context, [
		`Answers go to the log, and to platforms: "svc gateway setup PLATFORM" (${platformKinds.map(({kind}) => kind).join(', ')})`,
	]);
}

/** Whether earlier answers make this field necessary. */
const isAsked = ({key}: FieldRecord, {way, name}: FormState['values']): boolean =>
	(key !== 'secret' || way === 'type') && (!['events', 'prompt'].includes(key) || Boolean(name));

/**
 * Sets up a platform: explains where to get credentials, asks for its settings, writes them after confirmation, optionally sends a test message, and offers to let
 * people talk. Only for a terminal.
 *
 * @throws SvcError `platform_unknown`, and as `setUpReceiver`
 * @see manual/delivery.md#platforms
 */
export async function setUpPlatform(context: Context, name: string): Promise<void> {
	const platform = platformNamed(name);
	if (!platform) {
		throw new SvcError('platform_unknown', `Cannot set up: ${unknownTarget(name).problem}`);
	}

	if (!canAsk(context)) {
		tell(
			context,
			`This is no terminal: write platforms.${name} into config.yaml, see "svc help delivery-${name}"`,
		);
		context.exit(2);
		return;
	}

	const {platformFields, settingsFromForm} = await import('../../nouns/platform/platform-form.ts');
	const {newForm} = await import('../../tui/forms/form.ts');
	const {setUp: steps = [], title = name} = platform;
	await tellSentences(context, [`${title}:`, ...steps.map(step => `  ${step}`)]);
	const {surroundings, there} = surroundingsWith(context, name);
	const written = await askAndWrite(context, surroundings, {
		begun: newForm(platformFields(platform, there)),
		draftOf: ({values}) => ({
			platform: {name, settings: settingsFromForm(platform, values, there)},
		}),
	});
	if (!written) {
		return;
	}

	const {homeChannelOf, sendTestAlone} = await import('../home/platforms-now.ts');
	const config = readConfig(context);
	const hasHome = homeChannelOf(config, name) !== undefined;
	const answer =
		hasHome && (await askLine(context, 'Send a test message to its home channel? [y/N] '));
	if (answer && isYes(answer.text)) {
		// Sent from here, because a running gateway may not have read the file yet.
		printLines(context, [`Delivered: ${await sendTestAlone(context, config, {kind: name})}`]);
	} else {
		tell(context, `"svc platforms test ${name} --chat-id CHAT" sends a test message`);
		context.exit(answer && answer.interrupted ? 130 : 0);
	}

	if (platform.listens && !(answer && answer.interrupted)) {
		const {letPeopleTalk} = await import('./let-people-talk.ts');
		await letPeopleTalk(context, {name, title, listen: async () => listen(context, platform)});
	}
}

/** Asks for the settings that only listening needs, and writes them with `inbound: true`; resolves to whether they were written. */
async function listen(context: Context, platform: TargetKind): Promise<boolean> {
	const {listeningPart, platformFields, settingsFromForm} =
		await import('../../nouns/platform/platform-form.ts');
	const {newForm} = await import('../../tui/forms/form.ts');
	const {kind: name} = platform;
	const {surroundings, there} = surroundingsWith(context, name);
	const part = listeningPart(platform);
	const begun = newForm(platformFields(part, there));
	const draftOf = ({values}: FormState): SetupDraft => ({
		platform: {name, settings: {...settingsFromForm(part, values, there), inbound: true}},
	});
	if (begun.fields.length > 0) {
		const leaves = 'Nothing more was written';
		return (await askAndWrite(context, surroundings, {begun, draftOf, leaves})) !== undefined;
	}

	await setUp(draftOf(begun), {surroundings, clock: context.clock});
	printLines(context, [`Wrote platforms.${name}.inbound`]);
	return true;
}

/** `isSame`: nothing had to be written. */
type WrittenSetup = {readonly secret?: string; readonly route?: string; readonly isSame?: true};

const surroundingsOf = (context: Context): SetupSurroundings => {
	const paths = context.paths({mayBeNew: true});
	const isNew = !existsSync(paths.config);
	return {
		config: usableConfig(context, {paths, ...(isNew && {text: firstConfig()})}),
		load: text => loadConfig({paths, environment: context.environment, text}),
		restartNeeded: () => [],
	};
};

type Questions = {
	readonly begun: FormState;
	readonly isAsked?: (field: FieldRecord, values: FormState['values']) => boolean;
	readonly draftOf: (form: FormState) => SetupDraft;
	/** Problems of the answers together, beyond single fields. */
	readonly problemOf?: (form: FormState) => string | undefined;
	/** What to say if nothing is written. */
	readonly leaves?: string;
};

/** The surroundings of a setup, and the platform's existing settings. */
function surroundingsWith(context: Context, platform: string) {
	const surroundings = surroundingsOf(context);
	const section = valueAt(surroundings.config.written, ['platforms', platform]);
	return {surroundings, there: isJsonObject(section) ? section : {}};
}

/** Asks until the answers are valid, shows the diff, and writes after confirmation; `undefined` if nothing was written. Creates no files or folders before that. */
async function askAndWrite(
	context: Context,
	surroundings: SetupSurroundings,
	{
		begun,
		isAsked: isQuestion,
		draftOf,
		problemOf = () => undefined,
		leaves = 'Nothing was written',
	}: Questions,
): Promise<WrittenSetup | undefined> {
	let form = begun;
	for (;;) {
		// oxlint-disable-next-line no-await-in-loop -- until it can be written
		const asked = await askForm(context, form, {...(isQuestion && {isAsked: isQuestion})});
		if (asked.kind !== 'filled') {
			tell(context, leaves);
			context.exit(asked.kind === 'left' && asked.interrupted ? 130 : 1);
			return undefined;
		}

		({form} = asked);
		const draft = draftOf(form);
		const plan = planSetup(draft, surroundings);
		const problem = problemOf(form) ?? plan.problems[0];
		if (problem === undefined) {
			// oxlint-disable-next-line no-await-in-loop -- the last round
			return writeAsked(context, {draft, plan, surroundings, leaves});
		}

		tell(context, `Cannot be written: ${problem}`);
	}
}

type PlannedSetup = {
	readonly draft: SetupDraft;
	readonly plan: SetupPlan;
	readonly surroundings: SetupSurroundings;
	readonly leaves: string;
};

async function writeAsked(
	context: Context,
	{draft, plan, surroundings, leaves}: PlannedSetup,
): Promise<WrittenSetup | undefined> {
	const {paths} = surroundings.config;
	if (plan.diff.length === 0 && existsSync(paths.config)) {
		tell(context, 'There is nothing to write');
		return {isSame: true};
	}

	if (!(await confirmDiff(context, {...plan, leaves}))) {
		return undefined;
	}

	ensureHome(paths);
	const written = await setUp(
		{...draft, fingerprint: plan.fingerprint},
		{surroundings, clock: context.clock},
	);
	printLines(context, [`Wrote ${paths.config}`]);
	return {...written, ...(draft.route && {route: draft.route.name})};
}
