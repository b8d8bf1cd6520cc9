import {join} from 'node:path';
import {stringify} from 'yaml';
import {writePrivateFile} from '../../config/text-files.ts';
import {parseYamlSource} from '../../config/yaml-source.ts';
import {messageOf, SvcError} from '../../core/errors.ts';
import {valueIn, withValueAt} from '../../core/json-path.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import type {RouteCheck, RouteDefinition} from '../../core/route-editor.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {GatewayCommands} from '../../gateway/port.ts';
import {canAsk, confirm, confirmDiff} from '../console/ask-line.ts';
import type {Context} from '../console/context.ts';
import {editInEditor} from '../console/edit-in-editor.ts';
import {tell, printResult, tellEach} from '../console/print.ts';
import {askForm} from '../forms/ask-form.ts';
import {requireGateway} from '../home/gateway-access.ts';

/** `editor`: uses `$EDITOR` if there is one; absent: likewise, except at the prompt of `svc --linear`. */
export type Editing = {
	readonly yes?: boolean;
	readonly json?: boolean;
	readonly editor?: boolean;
};

/** The entry as edited so far, in YAML. */
type Edit = {text?: string};

/**
 * `svc webhook edit`: edits a route's entry in `$VISUAL` or `$EDITOR`, or question by question. Shows the receiver's judgement and the diff before confirmation;
 * secrets are replaced by placeholders. If an error prevents writing, the edit is kept in a file of the cache, which the error names.
 * @throws SvcError `route_not_found`, `route_conflict`, `route_refused`, `route_not_editable`, `confirmation_needed`, `interrupted`, those of the editor
 */
export async function editRouteByHand(
	context: Context,
	name: string,
	{yes = false, json = false, editor = context.appendsOnly !== true}: Editing,
): Promise<void> {
	const gateway = await requireGateway(context);
	const read = await gateway.readRoute(name);
	if (!read) {
		throw new SvcError(
			'route_not_found',
			`Cannot edit route "${escapeLine(name, 100)}": see "svc webhook list"`,
		);
	}

	const {environment} = context;
	const hasEditor = editor && Boolean(environment['VISUAL'] || environment['EDITOR']);
	if (!hasEditor && !canAsk(context)) {
		throw new SvcError(
			'confirmation_needed',
			`Not edited: there is no terminal to ask on; set $EDITOR to a program that edits, and add --yes`,
		);
	}

	const edit: Edit = {};
	try {
		await untilWritten(context, gateway, {read, edit, hasEditor, yes, json});
	} catch (error) {
		if (edit.text === undefined || !(error instanceof SvcError)) {
			throw error;
		}

		const kept = await keepEdit(context, name, edit.text);
		throw new SvcError(error.code, `${messageOf(error)}; ${kept}`, {cause: error});
	}
}

/** Saves the edit to a file of the cache, and names the file. */
async function keepEdit(context: Context, name: string, text: string): Promise<string> {
	const kept = join(context.paths().cache, `edited-route-${encodeURIComponent(name)}.yaml`);
	await writePrivateFile(kept, text.endsWith('\n') ? text : `${text}\n`);
	return `your edit is in "${kept}"`;
}

/** Asks whether to reopen a refused edit. @throws SvcError `route_refused` after a no, `interrupted` after Ctrl-C */
async function askOnceMore(context: Context, why: string): Promise<void> {
	let isInterrupted = false;
	const asking: Context = {
		...context,
		exit(code) {
			isInterrupted = code === 130;
		},
	};
	if (
		!canAsk(context) ||
		!(await confirm(asking, {question: 'Edit it once more?', leaves: 'Not edited once more'}))
	) {
		throw new SvcError(isInterrupted ? 'interrupted' : 'route_refused', `Not saved: ${why}`);
	}
}

type RouteEdit = Required<Omit<Editing, 'editor'>> & {
	readonly read: RouteDefinition;
	readonly edit: Edit;
	readonly hasEditor: boolean;
};

/** Edits until the entry is written, or the person gives up. */
async function untilWritten(
	context: Context,
	gateway: GatewayCommands,
	{read, edit, hasEditor, yes, json}: RouteEdit,
): Promise<void> {
	const {name} = read;
	let {definition} = read;
	let at: string | undefined;
	for (;;) {
		// oxlint-disable-next-line no-await-in-loop -- until it is written or left
		const edited = await (hasEditor
			? inEditor(context, read, {definition, edit})
			: byQuestions(context, gateway, {definition, edit, at}));
		if (!edited) {
			const {text} = edit;
			// oxlint-disable-next-line no-await-in-loop -- the last round
			const kept = text === undefined ? '' : `; ${await keepEdit(context, name, text)}`;
			tell(context, `Left as it was${kept}`);
			return;
		}

		definition = edited;
		const {source, fingerprint} = read;
		const draft = {source, definition, fingerprint};
		// oxlint-disable-next-line no-await-in-loop
		const plan = await gateway.planRouteSave(name, draft);
		const [problem] = plan.problems;
		if (problem) {
			tellEach(
				context,
				plan.problems.map(one => `Not valid: ${sentence(one)}`),
			);

			// oxlint-disable-next-line no-await-in-loop
			await askOnceMore(context, sentence(problem));
			at = problem.path;
			continue;
		}

		if (plan.diff.length === 0) {
			tell(context, 'Left as it was');
			return;
		}

		// oxlint-disable-next-line no-await-in-loop
		if (!(await confirmDiff(context, plan, yes))) {
			// oxlint-disable-next-line no-await-in-loop -- the last round
			tell(context, `Left as it was; ${await keepEdit(context, name, edit.text ?? '')}`);
			return;
		}

		// oxlint-disable-next-line no-await-in-loop
		const {file, warnings} = await gateway.saveRoute(name, draft);
		const value = {name, source, file, warnings};
		printResult(context, {json, value, lines: [`Saved ${name} in ${file}`]});

		return;
	}
}

const sentence = ({path, message}: RouteCheck['problems'][number]): string =>
	path === '' ? message : `${path} ${message}`;

/** The saved entry; `undefined` if it is unchanged. If the text is not a mapping, offers to reopen it. */
async function inEditor(
	context: Context,
	{name, file}: RouteDefinition,
	{definition, edit}: {readonly definition: JsonObject; readonly edit: Edit},
): Promise<JsonObject | undefined> {
	let text = `# Route ${escapeLine(name)} of ${escapeLine(file)}. A mark such as <kept: secret> keeps the secret that stands there.\n${stringify(definition, {lineWidth: 0})}`;
	for (;;) {
		// oxlint-disable-next-line no-await-in-loop -- until it can be read
		const edited = await editInEditor(context, {text, suffix: '.yaml'}, 'Not edited');
		if (edited === undefined) {
			return undefined;
		}

		text = edited;
		edit.text = edited;
		const {value, problems} = parseYamlSource(text);
		const [problem] = problems;
		if (!problem && isJsonObject(value)) {
			return value;
		}

		const why = problem
			? `line ${problem.line}, column ${problem.column}: ${problem.message}`
			: 'it is no mapping of settings';
		tell(context, `Not valid: ${why}`);
		// oxlint-disable-next-line no-await-in-loop
		await askOnceMore(context, why);
	}
}

type DefinitionEdit = {
	readonly definition: JsonObject;
	readonly edit: Edit;
	/** The setting to begin with, as `coalesce.window_seconds`. */
	readonly at: string | undefined;
};

/** Asks for each declared setting; `undefined` if the person gave up. */
async function byQuestions(
	context: Context,
	gateway: Pick<GatewayCommands, 'listRouteFields'>,
	{definition, edit, at}: DefinitionEdit,
): Promise<JsonObject | undefined> {
	const {settingField} = await import('../../tui/editor/route-form.ts');
	const {newForm} = await import('../../tui/forms/form.ts');
	const settings = (await gateway.listRouteFields()).filter(
		({path, byHand, inMapping}) =>
			path.length > 0 &&
			byHand === undefined &&
			(inMapping === undefined || isJsonObject(valueIn(definition, path.slice(0, -1)))),
	);
	const keyed = settings.map(setting => ({
		setting,
		// Requirements depend on other settings: the receiver validates the whole.
		field: {...settingField(setting), required: false},
	}));
	const begun = {
		...newForm(keyed.map(({field}) => field)),
		values: Object.fromEntries(
			keyed.map(({setting: {path}, field: {key}}) => [key, valueIn(definition, path)]),
		),
	};
	const from = keyed.findIndex(({setting: {path}}) => path.join('.') === at);
	const asked = await askForm(context, begun, {from: Math.max(0, from)});
	if (asked.kind !== 'filled') {
		if (asked.kind === 'left' && asked.interrupted) {
			context.exit(130);
		}

		return undefined;
	}

	const filled = keyed.reduce((changed, {setting: {path}, field: {key}}): JsonObject => {
		const value = asked.form.values[key];
		const isSame = isSameValue(value, valueIn(definition, path));
		return isSame ? changed : withValueAt(changed, path, value === '' ? undefined : value);
	}, definition);
	edit.text = stringify(filled, {lineWidth: 0});
	return filled;
}

const isSameValue = (one: JsonValue | undefined, other: JsonValue | undefined): boolean =>
	JSON.stringify(one) === JSON.stringify(other);
