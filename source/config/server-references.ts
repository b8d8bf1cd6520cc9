import {basename, sep} from 'node:path';
import {userHomeOf, variable, type Environment} from './environment.ts';
import {anyReference} from './references.ts';
import {absoluteFolder} from './working-folders.ts';

/** The variables that tool servers have besides the environment's, by their names in `${…}`. @see manual/tool-servers.md#variable-references */
export type ContextVariables = Readonly<
	Record<'userHome' | 'workspaceFolder' | 'workspaceFolderBasename' | 'pathSeparator' | '/', string>
>;

/**
 * The context of a tool server. `workspaceFolder` is where commands of agents work, `toolsets.terminal.workdir` as it is written; absent: the folder of this process.
 *
 * @see manual/tool-servers.md#variable-references
 */
export function contextVariables(
	environment: Environment,
	workdir: string | undefined,
): ContextVariables {
	const userHome = userHomeOf(environment);
	const workspaceFolder =
		workdir === undefined ? process.cwd() : absoluteFolder(workdir, {userHome});
	return {
		userHome,
		workspaceFolder,
		workspaceFolderBasename: basename(workspaceFolder),
		pathSeparator: sep,
		'/': sep,
	};
}

/** What references are replaced by. */
export type ReferenceScope = {
	/** Variables of the profile, its `.env` over the process's. */
	readonly environment: Environment;
	readonly context: ContextVariables;
};

/** A text of a tool server's entry with its references replaced. */
export type ExpandedText = {
	readonly text: string;
	/** Names of variables that do not exist, in the order of the text; their placeholders are still there. */
	readonly unset: readonly string[];
	/** The variables of the environment that were put in. */
	readonly used: ReadonlyArray<{readonly name: string; readonly value: string}>;
};

const ofEnvironment = 'env:';

/**
 * `text` with every `${…}` replaced, in one pass: what a variable holds is not looked at again. A context variable comes before one of the environment that has
 * its name, unless `${env:…}` is written; case counts.
 *
 * @see manual/tool-servers.md#variable-references
 */
export function expandReferences(
	text: string,
	{environment, context}: ReferenceScope,
): ExpandedText {
	const unset: string[] = [];
	const used: Array<{name: string; value: string}> = [];
	const expanded = text.replaceAll(anyReference, (placeholder, inside: string) => {
		const own = variable(context, inside);
		if (own !== undefined) {
			return own;
		}

		const name = inside.startsWith(ofEnvironment) ? inside.slice(ofEnvironment.length) : inside;
		const value = variable(environment, name);
		if (value === undefined) {
			unset.push(name);
			return placeholder;
		}

		used.push({name, value});
		return value;
	});
	return {text: expanded, unset, used};
}
