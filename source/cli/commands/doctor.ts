import type {Command} from 'commander';
import type {Context} from '../console/context.ts';

/** `svc doctor`. @see manual/doctor.md */
export function addDoctorCommand(program: Command, context: Context): void {
	program
		.command('doctor')
		.description(
			'check the installation and say what to do about what fails; exits 1 when something does',
		)
		.option('--offline', 'ask no other machine and start no program of others')
		.option('--json', 'print JSON')
		.action(async ({json = false, offline = false}: {json?: boolean; offline?: boolean}) => {
			const {reportHealth} = await import('../doctor/report.ts');
			await reportHealth(context, {json, offline});
		});
}
