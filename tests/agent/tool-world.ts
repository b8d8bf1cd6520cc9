import type {JsonObject} from '../../source/core/json.ts';
import type {AskedTool, Tool} from '../../source/core/tool.ts';
import {createTool} from './agent-fixture.ts';

/** A tool of a server, named as runs have it. */
export function serverTool(
	server: string,
	tool: string,
	{
		description = `Does ${tool}`,
		inputSchema = {type: 'object'},
		...more
	}: {readonly description?: string; readonly inputSchema?: JsonObject} & Partial<Tool> = {},
): Tool {
	const name = `mcp__${server.replaceAll(/\W/g, '_')}__${tool.replaceAll(/\W/g, '_')}`.slice(0, 64);
	const asked: AskedTool = {
		from: {
			kind: 'server',
			server,
			transport: 'http',
			host: `${server}.example`,
			endpoint: 'e'.repeat(64),
			trust: 'full',
		},
		profile: 'default',
		tool,
		name,
		claims: {},
		description,
		inputSchema,
		definition: 'd'.repeat(64),
		changed: false,
	};
	return createTool({name, description, inputSchema, asked, ...more});
}

/** `server` → lines `tool(arguments): description`. */
const described = {
	forge: `
		create_issue(repo title body): Opens a new issue in a repository.
		list_issues(repo state): Lists issues of a repository, newest first.
		close_issue(repo number): Closes an issue.
		add_issue_comment(repo number body): Adds a comment to an issue or a pull request.
		create_pull_request(repo head base title): Opens a pull request from one branch to another.
		merge_pull_request(repo number method): Merges an open pull request.
		get_pull_request_diff(repo number): Returns the changes of a pull request as a unified diff.
		request_reviewers(repo number reviewers): Asks people to review a pull request.
		list_commits(repo branch): Lists the commits of a branch.
		create_branch(repo name from): Creates a branch.
		delete_branch(repo name): Deletes a branch.
		search_code(query): Searches the contents of all files in repositories.
		get_file_contents(repo path ref): Returns a file or a folder of a repository.
		rerun_workflow(repo run_id): Starts a failed workflow run again.
		list_workflow_runs(repo): Lists runs of the pipelines with their outcome.
		create_release(repo tag notes): Publishes a release for a tag.
		fork_repository(repo): Makes a fork in your account.
		star_repository(repo): Stars a repository.`,
	chat: `
		postMessage(channel text): Sends a message to a channel.
		sendDirectMessage(user text): Sends a private message to a person.
		replyInThread(channel thread text): Answers below a message.
		listChannels(): All channels with their topics.
		setChannelTopic(channel topic): Sets what stands above a channel.
		inviteToChannel(channel user): Adds a person to a channel.
		addReaction(channel timestamp emoji): Puts an emoji below a message.
		uploadFile(channel path): Shares a file in a channel.
		searchMessages(query): Full text search over what was written.
		setPresence(status): Marks you as away or active.
		pinMessage(channel timestamp): Keeps a message at the top.`,
	calendar: `
		create-event(title start end attendees): Puts an appointment into a calendar.
		list-events(from to): Returns what stands in a calendar between two times.
		delete-event(id): Removes an appointment.
		update-event(id start end): Moves or renames an appointment.
		find-free-slot(attendees minutes): Finds a time at which everybody is free.
		respond-to-invitation(id answer): Accepts or declines an invitation.`,
	cluster: `
		pods_list(namespace): Lists pods of a namespace.
		pods_log(namespace name): Returns what a container wrote.
		pods_delete(namespace name): Deletes a pod; it is started anew.
		deployments_scale(namespace name replicas): Changes how many copies of a deployment run.
		deployments_restart(namespace name): Rolling restart of a deployment.
		nodes_top(): CPU and memory of the nodes of the Kubernetes cluster.
		secrets_get(namespace name): Returns a secret.
		resources_apply(manifest): Applies a YAML manifest.
		helm_rollback(release revision): Takes a Helm release back to an earlier revision.`,
	crm: `
		findCustomers(name email): Looks customers up by name or address.
		createContact(first_name last_name email): Adds a person to the address book.
		mergeContacts(ids): Joins duplicates.
		updateDealStage(deal stage): Moves a deal along the sales funnel.
		listDeals(owner): Deals with their value and probability.
		logCall(contact notes): Records a phone call.
		exportSegment(segment): Writes customers of a segment into a CSV.`,
	billing: `
		create_invoice(customer lines due): Drafts a bill.
		send_invoice(id): Mails a bill to its customer.
		refund_charge(charge amount): Gives money back.
		list_disputes(): Charges that customers contest.
		cancel_subscription(id at): Ends a subscription.
		get_balance(): What the account holds.
		create_coupon(percent): Makes a discount code.`,
	files: `
		read_text(path): Contents of a text file.
		write_text(path content): Creates or overwrites a file.
		move(source destination): Moves or renames files and directories.
		directory_tree(path): All that lies below a directory as JSON.
		search(path pattern): Finds files whose names match a pattern.
		stat(path): Size, times and permissions of a file.`,
	monitor: `
		query_metrics(promql from to): Evaluates a PromQL expression.
		list_alerts(state): Alerts that are firing now.
		silence_alert(matchers duration): Mutes alerts for a while.
		get_dashboard(uid): One dashboard with its panels.
		who_is_on_call(schedule): The person who has the pager.
		acknowledge_incident(id): Says that somebody works on an incident.
		create_incident(title severity): Declares an incident.
		search_logs(query from to): Finds log lines of services.`,
	data: `
		run_query(sql): Runs a SELECT statement and returns rows.
		list_tables(schema): Tables of a schema.
		describe_table(table): Columns and types of a table.
		execute(sql): Runs a statement that changes data.
		explain(sql): The plan of a query.`,
	web: `
		navigate(url): Opens a page in the browser.
		screenshot(selector): Takes a picture of the page.
		click(selector): Clicks an element.
		fill(selector value): Types into a field.
		get_forecast(city days): The weather of the next days.
		convert_currency(amount from to): Converts between currencies by today's rates.
		translate(text target): Translates a text into another language.
		geocode(address): Coordinates of an address.
		directions(from to mode): The way from one place to another.`,
	wiki: `
		create_page(space title body): Creates a page in a space.
		get_page(id): Returns a page as Markdown.
		search_pages(cql): Finds pages.
		list_spaces(): All spaces.
		add_label(id label): Labels a page.
		restore_version(id version): Brings an older version of a page back.`,
	people: `
		request_time_off(from to): Applies for a vacation.
		list_absences(team): Who is away.
		get_employee(id): Address, manager and start date of an employee.
		submit_expense(amount receipt): Hands in an expense.
		get_payslip(month): A payslip as PDF.`,
	flags: `
		toggle_flag(key on): Switches a feature flag on or off.
		list_flags(project): Feature flags of a project.`,
	mail: `
		send_email(to subject body): Sends an e-mail.
		search_threads(query): Finds conversations in the mailbox.
		archive_thread(id): Takes a conversation out of the inbox.
		create_filter(from label): Sorts incoming mail by a rule.
		download_attachment(id): Fetches an attachment.`,
	music: `
		play_track(uri): Plays a song.
		skip(): Next song.
		add_to_playlist(playlist uri): Adds a song to a playlist.`,
};

/** About 110 tools of 15 servers. */
export const worldTools: readonly Tool[] = Object.entries(described).flatMap(([server, lines]) =>
	lines
		.trim()
		.split('\n')
		.map(line => {
			const [, tool = '', args = '', description = ''] =
				/^\s*([\w-]+)\((.*?)\): (.*)$/.exec(line) ?? [];
			const properties = Object.fromEntries(
				args.split(' ').flatMap(name => (name === '' ? [] : [[name, {type: 'string'}]])),
			);
			return serverTool(server, tool, {
				description,
				inputSchema: {type: 'object', properties},
				readOnly: /list|get|search|find|read/.test(tool),
			});
		}),
);
