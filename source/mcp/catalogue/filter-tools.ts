import type {Tool as ListedTool} from '@modelcontextprotocol/client';
import type {ToolsPolicy} from '../../config/tool-server.ts';
import {isDeepJson} from '../../core/json.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {matchesGlob} from './match-glob.ts';

const maxTools = 500;
const maxNameLength = 256;
const maxSchemaLength = 256 * 1024;
const maxToolLength = 1024 * 1024;

/** The server's own tools that are registered, by their own names, and what a person should know about the others. */
export type Selection = {
	readonly tools: readonly ListedTool[];
	readonly warnings: readonly string[];
};

/**
 * What the filter of a server lets through of its list: by original names, `include` wins. Of two tools of one name the first counts; what is too large or nested too
 * deep to be handed to models, and what comes after 500 others, is left out with a warning.
 *
 * @see manual/tool-servers.md#which-tools-a-server-offers
 */
export function filterTools(listed: readonly ListedTool[], policy: ToolsPolicy): Selection {
	const byName = Map.groupBy(listed, ({name}) => name);
	const wanted = [...byName.values()]
		.flatMap(some => some.slice(0, 1))
		.filter(({name}) => passes(name, policy))
		.toSorted((a, b) => (a.name < b.name ? -1 : 1));
	const refused = wanted.filter(tool => !isUsable(tool));
	const usable = wanted.filter(tool => !refused.includes(tool));
	const repeated = [...byName].flatMap(([name, some]) => (some.length > 1 ? [name] : []));
	const unmatched = policy.include?.filter(
		pattern => ![...byName.keys()].some(name => matchesGlob(name, pattern)),
	);
	return {
		tools: usable.slice(0, maxTools),
		warnings: [
			...warnOf('listed more than once, the first counts', repeated),
			...warnOf('left out, larger or deeper than allowed', namesOf(refused)),
			...warnOf(`left out, more than ${maxTools} tools`, namesOf(usable.slice(maxTools))),
			...warnOf('in include, but the server has no such tool', unmatched ?? []),
		],
	};
}

const passes = (name: string, {include, exclude}: ToolsPolicy): boolean =>
	include
		? include.some(pattern => matchesGlob(name, pattern))
		: !exclude.some(pattern => matchesGlob(name, pattern));

const namesOf = (tools: readonly ListedTool[]) => tools.map(({name}) => name);

function isUsable(tool: ListedTool): boolean {
	if (tool.name === '' || tool.name.length > maxNameLength) {
		return false;
	}

	const whole = jsonOf(tool);
	return (
		whole.length <= maxToolLength &&
		!isDeepJson(whole) &&
		jsonOf(tool.inputSchema).length <= maxSchemaLength &&
		jsonOf(tool.outputSchema).length <= maxSchemaLength
	);
}

/** Too long for any bound when it cannot be written down at all. */
function jsonOf(value: unknown): string {
	try {
		return JSON.stringify(value) ?? '';
	} catch {
		return ' '.repeat(maxToolLength + 1);
	}
}

/** One line that names the first five, or none. */
export const warnOf = (what: string, names: readonly string[]): readonly string[] => {
	const first = names.slice(0, 5).map(name => `"${escapeLine(name, 60)}"`);
	const more = names.length > first.length ? ` and ${names.length - first.length} more` : '';
	return names.length > 0 ? [`${first.join(', ')}${more}: ${what}`] : [];
};
