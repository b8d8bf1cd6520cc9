import {findSkill} from '../agent/skills.ts';
import {selectTools} from '../agent/toolsets.ts';
import type {Logger} from '../core/log.ts';
import type {StoredRun} from '../core/run.ts';
import type {Equipment} from './work-run.ts';

/** The skill and the tools of a run; `skillsDir` is that of its profile. Only the first skill that is found counts. @see Interface 2.5 */
export async function equipRun(
	run: StoredRun,
	{skillsDir, log}: {readonly skillsDir: string; readonly log: Logger},
): Promise<Equipment> {
	const {skills} = run.plan;
	const skill = await findSkill(skills, {skillsDir, log});
	if (skills.length > 0 && !skill) {
		log.warn(`None of the skills of the ${run.job ? 'job' : 'route'} was found`, {
			run: run.id,
			skills: skills.join(', '),
		});
	}

	// Tools come with the tool servers; until there are any, a route's toolsets can only be checked.
	const {tools, warnings} = selectTools(run.plan.toolsets, new Map());
	for (const warning of warnings) {
		log.warn(warning, {run: run.id, route: run.route, job: run.job?.name});
	}

	return {tools, ...(skill && {skill})};
}
