import type {RunPlan} from '../core/run.ts';
import type {JobDefinition} from './job.ts';

/** What a run of `job` needs. `context` is transient: it follows the prompt after an empty line. @see manual/routes.md#keys */
export function planFor(job: JobDefinition, context?: string): RunPlan {
	const {prompt, target, skills, toolsets, model} = job;
	return {
		prompt: context === undefined ? prompt : `${prompt}\n\n${context}`,
		target,
		skills,
		...(toolsets && {toolsets}),
		...(model !== undefined && {model}),
	};
}
