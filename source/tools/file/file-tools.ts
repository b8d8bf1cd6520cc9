import {resolve} from 'node:path';
import {jsonHash} from '../../core/canonical-json.ts';
import type {JsonObject, JsonValue} from '../../core/json.ts';
import {quotedPath} from '../../core/quoted-name.ts';
import type {PreviewResult, Tool, ToolContext, ToolResult} from '../../core/tool.ts';
import {cwdOf, ofCheckout, placeOfCall, toolsSandbox} from '../sandbox/tools-sandbox.ts';
import type {ToolsPlace, ToolsRun, ToolsSettings, ToolsWorld} from '../toolset.ts';
import {askOf, fileCalls, type FileAsk} from './file-calls.ts';
import {createFileHelper} from './helper-process.ts';
import type {FileChange, HelperAnswer, HelperAsk} from './helper/contract.ts';

const sandboxOf = async (place: ToolsPlace, {settings, sandbox}: ToolsSettings) =>
	toolsSandbox(place, {
		sandbox: sandbox(),
		toolsets: settings(),
		of: 'file',
		// No folder is made in memory for it.
		memoryBytes: 0,
	});

/** Why a run does not get the tools; `undefined`: it does. */
export async function whyNoFiles(
	place: ToolsPlace,
	world: ToolsSettings,
): Promise<string | undefined> {
	const found = await sandboxOf(place, world);
	return found.kind === 'none' ? found.reason : undefined;
}

/**
 * The tools of one run, in a helper process that ends with `stack`. A person is asked about each change unless the settings allow them, and about each call where there is no sandbox.
 *
 * @see manual/file.md
 */
export async function fileTools(
	run: ToolsRun,
	world: ToolsWorld,
	stack: AsyncDisposableStack,
): Promise<readonly Tool[]> {
	const before = await sandboxOf(run, world);
	const helper = stack.use(createFileHelper(world));
	const folder = cwdOf(before);

	const ask = async (
		call: HelperAsk,
		signal: AbortSignal,
	): Promise<Pick<HelperAnswer, 'text' | 'isError' | 'preview'>> => {
		// Settings count as they are now.
		const place = placeOfCall(await sandboxOf(run, world), before);
		if (typeof place === 'string') {
			return {text: `Cannot work on files: ${place}`, isError: true};
		}

		return helper.ask(call, place, signal);
	};

	const isOpen = before.kind === 'open';
	return fileCalls.map((tool): Tool => {
		const {name, does, fields, required, readOnly} = tool;
		const descriptionIn = (where: string) =>
			`${does}. The working folder is ${where}.${isOpen ? '' : ' Works in a sandbox: only listed folders are there.'}`;
		const description = descriptionIn(run.checkout ? `${folder}, ${ofCheckout}` : folder);
		const inputSchema: JsonObject = {
			type: 'object',
			properties: fields,
			required,
			additionalProperties: false,
		};
		return {
			name,
			description,
			inputSchema,
			readOnly,
			// Settings count as they are now: `ask` stops a run that is under way.
			get needsApproval() {
				return isOpen || (!readOnly && world.settings().file.approval === 'ask');
			},
			asked: {
				from: {kind: 'built-in'},
				profile: run.profile.name,
				tool: name,
				name,
				claims: readOnly ? {readOnly} : {},
				description,
				inputSchema,
				// A rule is bound to it, and the tool is the same with a checkout and without.
				definition: jsonHash([
					name,
					descriptionIn(before.kind === 'none' ? '' : before.workdir),
					inputSchema,
				]),
				changed: false,
				...(before.kind === 'open' && {why: before.why}),
			},
			...(!readOnly && {
				async preview(given: JsonValue, {signal}: Pick<ToolContext, 'signal'>) {
					const meant = askOf(tool, given);
					if (typeof meant === 'string' || meant.act !== 'change') {
						return {problem: typeof meant === 'string' ? meant : `Cannot call ${name}`};
					}

					return previewOf(
						meant.change,
						await ask({act: 'preview', change: meant.change}, signal),
						{
							isOpen,
							folder,
						},
					);
				},
			}),
			async execute(args, context) {
				const meant = askOf(tool, args);
				return typeof meant === 'string'
					? {text: meant, isError: true}
					: resultOf(await ask(bound(meant, context), context.signal));
			},
		};
	});
}

/** What a person is shown of a change. Where there is no sandbox, a model is not even told before the yes that it would come to nothing. */
function previewOf(
	{path}: FileChange,
	{text, preview}: Pick<HelperAnswer, 'text' | 'preview'>,
	{isOpen, folder}: {readonly isOpen: boolean; readonly folder: string},
): PreviewResult {
	if (!preview) {
		return isOpen
			? {
					preview: {
						title: 'change',
						facts: [
							{name: 'file', value: quotedPath(path)},
							{name: 'now', value: text},
						],
					},
					basis: 'nothing',
				}
			: {problem: text};
	}

	const {real, now, lines, basis} = preview;
	return {
		preview: {
			title: 'change',
			facts: [
				{name: 'file', value: quotedPath(real)},
				...(resolve(folder, path) === real ? [] : [{name: 'reached by', value: quotedPath(path)}]),
				{name: 'now', value: now},
			],
			...(lines && {lines}),
		},
		basis,
	};
}

const bound = (ask: FileAsk, {basis}: Pick<ToolContext, 'basis'>): FileAsk =>
	ask.act === 'change' && basis !== undefined ? {...ask, basis} : ask;

const resultOf = ({
	text,
	isError,
}: {
	readonly text: string;
	readonly isError?: boolean;
}): ToolResult => ({
	text,
	...(isError === true && {isError}),
});
