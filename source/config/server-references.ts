import {basename, sep} from 'node:path';
import {userHomeOf, variable, type Environment} from './environment.ts';
import {anyReference} from './references.ts';
import {absoluteFolder} from './working-folders.ts';

/** Variables for references of tool servers besides those of the environment, by their names in `${…}`. @see manual/tool-servers.md#variable-references */
export type ContextVariables = Readonly<
	Record<'userHome' | 'workspaceFolder' | 'workspaceFolderBasename' | 'pathSeparator' | '/', string>
>;

/**
 * The context variables of a tool server. `workspaceFolder` is `toolsets.terminal.workdir` as written, where commands of agents work; absent: the working folder of this
 * process.
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

/** The values that replace references. */
export type ReferenceScope = {
	/** Variables of the process, overridden by the profile's `.env`. */
	readonly environment: Environment;
	readonly context: ContextVariables;
};

/** A text of a tool server's entry with its references replaced. */
export type ExpandedText = {
	readonly text: string;
	/** Names of missing variables, in the order of the text, which keeps their placeholders. */
	readonly unset: readonly string[];
	/** The variables of the environment that replaced references. */
	readonly used: ReadonlyArray<{readonly name: string; readonly value: string}>;
};

const ofEnvironment = 'env:';

/**
 * `text` with every `${…}` replaced, in one pass: values of variables are not searched for references. A context variable takes precedence over one of the environment with
 * the same name, except for `${env:…}`. Names are case-sensitive.
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
