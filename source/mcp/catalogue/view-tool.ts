import {schemaTokens} from '../../core/deferral.ts';
import type {Redact} from '../../core/redact.ts';
import type {ServerToolView} from '../../core/tool-server.ts';
import {escapeLine, escapeBlock} from '../../core/untrusted.ts';
import type {PlannedTool} from './plan-tools.ts';

const maxArgs = 50;

/** The limit for descriptions shown to a person. */
const maxDescriptionLength = 4000;

/** A registered tool for faces. */
export function viewTool(planned: PlannedTool, redact: Redact): ServerToolView {
	const {asked, listed, inputSchema} = planned;
	const title = listed?.title ?? listed?.annotations?.title;
	return {
		tool: escapeLine(planned.tool, 200),
		name: planned.name,
		...(title === undefined ? {} : {title: escapeLine(redact(title), 200)}),
		description: escapeBlock(redact(planned.fullDescription), {maxLength: maxDescriptionLength}),
		claims: asked.claims,
		asks: planned.needsApproval,
		changed: asked.changed,
		args: argsOf(inputSchema),
		tokens: schemaTokens(planned),
	};
}

function argsOf(schema: PlannedTool['inputSchema']): readonly string[] {
	const {properties, required} = schema;
	if (typeof properties !== 'object' || properties === null || Array.isArray(properties)) {
		return [];
	}

	const needed = new Set(Array.isArray(required) ? required : []);
	return Object.keys(properties)
		.slice(0, maxArgs)
		.map(key => `${escapeLine(key, 64)}${needed.has(key) ? '*' : ''}`);
}
