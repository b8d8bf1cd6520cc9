import type {Tool as ListedTool} from '@modelcontextprotocol/client';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {JsonValue} from '../../core/json.ts';
import type {ServerToolView} from '../../core/tool-server.ts';
import type {Tool, ToolContext, ToolResult} from '../../core/tool.ts';
import type {World} from '../../core/world.ts';
import type {Pins} from './pins.ts';
import {type PlannedTool, planTools, type ToolPlan} from './plan-tools.ts';
import type {ServerFacts} from './server-facts.ts';
import {definitionText, describeToolChanges} from './tool-definition.ts';
import {viewTool} from './view-tool.ts';

export type CatalogueDependencies = Pick<World, 'log' | 'redact'> & {
	readonly server: () => ToolServerConfig;
	readonly profile: string;
	readonly pins: Pins;
	/** Names that other servers and built-in tools reserve. */
	readonly taken: () => ReadonlySet<string>;
	readonly execute: (
		planned: PlannedTool,
		args: JsonValue,
		context: ToolContext,
	) => Promise<ToolResult>;
	/** Called when anything in the catalogue has changed. */
	readonly onChange: () => void;
};

const emptyPlan: ToolPlan = {tools: [], warnings: [], offered: 0, reserved: new Set()};

export function createCatalogue(dependencies: CatalogueDependencies) {
	const {server, profile, pins, log, redact, taken, execute, onChange} = dependencies;
	let listed: readonly ListedTool[] | undefined;
	let capabilities: ServerFacts['capabilities'] = {resources: false, prompts: false};
	let listWarnings: readonly string[] = [];
	let changes: string | undefined;
	let plan = emptyPlan;
	let tools: readonly Tool[] = [];
	let views: readonly ServerToolView[] = [];
	let remembered = Promise.resolve();

	const replan = () => {
		if (!listed) {
			return;
		}

		const {name, trust} = server();
		const known = pins.knownOf(profile, name);
		const now = {server: server(), profile, listed, capabilities};
		plan = planTools({...now, known, taken: taken()});
		tools = plan.tools.map(planned => toolOf(planned, execute));
		views = plan.tools.map(planned => viewTool(planned, redact));
		remembered = pins.remember({
			profile,
			server: name,
			trust,
			tools: plan.tools
				.filter(({kind}) => kind === 'native')
				.map(({tool, asked, listed: seen}) => ({
					tool,
					definition: asked.definition,
					...(seen && {text: definitionText(seen)}),
				})),
		});
		onChange();
	};

	return {
		/** The server's last list; `undefined` before the first. */
		get listed(): readonly ListedTool[] | undefined {
			return listed;
		},
		get plan(): ToolPlan {
			return plan;
		},
		get tools(): readonly Tool[] {
			return tools;
		},
		get views(): readonly ServerToolView[] {
			return views;
		},
		/** One line each, at most 20. */
		get warnings(): readonly string[] {
			return [...(changes === undefined ? [] : [changes]), ...listWarnings, ...plan.warnings];
		},
		/** Takes a new list; the old one stays in use until it is planned. */
		update(list: {
			readonly tools: readonly ListedTool[];
			readonly warnings: readonly string[];
			readonly capabilities: ServerFacts['capabilities'];
		}): void {
			const difference = listed && describeToolChanges(listed, list.tools);
			if (difference !== undefined) {
				changes = difference;
				log.warn(`Its ${difference}`, {server: server().name});
			}

			listed = list.tools;
			listWarnings = list.warnings;
			capabilities = list.capabilities;
			replan();
		},
		/** Plans the same list again, because policy, pins or other servers' names have changed. */
		replan,
		/** Forgets everything, because it is now another server. */
		clear(): void {
			listed = undefined;
			changes = undefined;
			listWarnings = [];
			plan = emptyPlan;
			tools = [];
			views = [];
			onChange();
		},
		/** Resolves once the pins are written to disk. */
		written: async (): Promise<void> => remembered,
		/** The tool registered now for the one that a run started with. */
		find: ({kind, tool}: PlannedTool): PlannedTool | undefined =>
			plan.tools.find(now => now.kind === kind && now.tool === tool),
	};
}

function toolOf(planned: PlannedTool, execute: CatalogueDependencies['execute']): Tool {
	const {name, description, inputSchema, readOnly, needsApproval, asked, listed} = planned;
	return {
		name,
		description,
		inputSchema,
		readOnly,
		needsApproval,
		asked,
		...(listed?.title !== undefined && {title: listed.title}),
		execute: async (args, context) => execute(planned, args, context),
	};
}
