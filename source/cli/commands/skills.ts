import type {Command} from 'commander';
import {skillNoun} from '../../nouns/skill/skill.ts';
import type {Context} from '../console/context.ts';
import {addList, addShow} from '../nouns/noun-commands.ts';

/** `svc skills list|show`. @see manual/skills.md */
export function addSkillCommands(program: Command, context: Context): void {
	const group = program.command('skills').description('instructions that agents load');
	const read = async (only?: string) =>
		(await import('../skills/skills-now.ts')).listSkills(context, only);
	addList(group, context, {
		noun: skillNoun,
		says: 'list skills with their uses and their problems',
		read: async () => read(),
	});
	addShow(group, context, {
		noun: skillNoun,
		says: 'show a skill: its purpose, its origin and its uses',
		async read(name) {
			const [item] = await read(name);
			return item && {item};
		},
	});
}
