import {resolve} from 'node:path';
import type {JsonValue} from '../../core/json.ts';
import {quotedPath} from '../../core/names.ts';
import type {PreviewResult, Tool, ToolContext} from '../../core/tool.ts';
import {openSandboxTools} from '../sandbox/tools-sandbox.ts';
import type {ToolsRun, ToolsWorld} from '../toolset.ts';
import {askOf, fileCalls, type FileAsk} from './file-calls.ts';
import {createFileHelper} from './helper-process.ts';
import type {ChangePreview, FileChange, HelperAnswer, HelperAsk} from './helper/contract.ts';

/**
 * The tools of one run, with a helper process that ends with `stack`. Each change needs approval unless the settings allow changes; without a sandbox every call
 * does.
 *
 * @see manual/file.md
 */
export async function fileTools(
	run: ToolsRun,
	world: ToolsWorld,
	stack: AsyncDisposableStack,
): Promise<readonly Tool[]> {
	const {folder, isSandbox, placeOfCall, toolOf} = await openSandboxTools('file', run, world);
	const helper = stack.use(createFileHelper(world));

	const ask = async (call: HelperAsk, signal: AbortSignal): Promise<Omit<HelperAnswer, 'id'>> => {
		const place = await placeOfCall();
		return typeof place === 'string'
			? {text: `Cannot work on files: ${place}`, isError: true}
			: helper.ask(call, place, signal);
	};

	return fileCalls.map((tool): Tool => {
		const {name, does, fields, required, readOnly} = tool;
		return toolOf({
			name,
			readOnly,
			describe: ({where}) => ({
				description: `${does}. The working folder is ${where}.${isSandbox ? ' Works in a sandbox: only listed folders are there.' : ''}`,
				inputSchema: {type: 'object', properties: fields, required, additionalProperties: false},
			}),
			...(!tool.readOnly && {
				async preview(given: JsonValue, {signal}: Pick<ToolContext, 'signal'>) {
					const meant = askOf(tool, given);
					if (typeof meant === 'string') {
						return {problem: meant};
					}

					const {change} = meant;
					const answer = await ask({act: 'preview', change}, signal);
					return previewOf(change, answer, {isOpen: !isSandbox, folder});
				},
			}),
			async execute(args, {basis, signal}) {
				const meant = askOf<FileAsk>(tool, args);
				if (typeof meant === 'string') {
					return {text: meant, isError: true};
				}

				const isBound = meant.act === 'change' && basis !== undefined;
				const {text, isError = false} = await ask(isBound ? {...meant, basis} : meant, signal);
				return {text, ...(isError && {isError})};
			},
		});
	});
}

/**
 * The approval sheet of a change. An impossible change yields a problem instead; but without a sandbox the sheet is shown anyway, so that the model learns nothing
 * before the approval.
 */
function previewOf(
	{path}: FileChange,
	{text, preview}: Pick<HelperAnswer, 'text' | 'preview'>,
	{isOpen, folder}: {readonly isOpen: boolean; readonly folder: string},
): PreviewResult {
	if (!preview && !isOpen) {
		return {problem: text};
	}

	const {real, now = text, lines, basis = 'nothing'}: Partial<ChangePreview> = preview ?? {};
	const isElsewhere = real !== undefined && resolve(folder, path) !== real;
	return {
		preview: {
			title: 'change',
			facts: [
				{name: 'file', value: quotedPath(real ?? path)},
				...(isElsewhere ? [{name: 'reached by', value: quotedPath(path)}] : []),
				{name: 'now', value: now},
			],
			...(lines && {lines}),
		},
		basis,
	};
}
