import {chatErrorCodes} from './chat-error-codes.ts';
import {linkErrorCodes} from './link-error-codes.ts';
import {platformErrorCodes} from './platform-error-codes.ts';
import {runErrorCodes} from './run-error-codes.ts';
import {storeErrorCodes} from './store-error-codes.ts';

/**
 * Every code that an error of this program can carry, with what it means and what to do, as Markdown text of one paragraph. `svc explain CODE` prints it,
 * the page "Errors by code" lists it; the type of codes is made from its keys, so that an error nobody explains does not compile.
 */
export const errorCodes = {
	...chatErrorCodes,
	...linkErrorCodes,
	...storeErrorCodes,
	...platformErrorCodes,
	...runErrorCodes,
	answer_too_large: "The model's server sent more than 32 MiB; the run is not tried again",
	approval_invalid:
		'An approval was answered in a way that it does not take (a scope that is not offered, a missing name, a form that is not filled in); it waits on',
	approval_not_found: 'There is no request of that number: see `svc approvals list`',
	approval_rule_not_found: 'There is no rule of that number: see `svc approvals rules`',
	approval_settled: 'Somebody else, or the deadline, was first; the message says who',
	backup_exists: 'The file is there: another name, or `--force`',
	backup_failed: 'The archive could not be written; nothing was replaced. The message says why',
	backup_invalid: 'The archive is cut, was changed, or is none of `svc backup`: it was not used',
	bad_request: 'The control API did not understand the request: see `GET /openapi.json`',
	body_not_kept: 'The retention has dropped the body, so it cannot be sent again',
	cluster_full:
		'Thirty-two gateways are members of the cluster already: stop one of them, or give this one a database of its own',
	coalesce_invalid: 'The keys of the route exclude each other or are incomplete: keep one',
	coalesce_with_cron_job: 'The keys of the route exclude each other or are incomplete: keep one',
	coalesce_with_deliver_only:
		'The keys of the route exclude each other or are incomplete: keep one',
	code_not_found: 'No error has that code: `svc explain` lists them',
	config_broken:
		'The program cannot edit a file it cannot read, or a value that others share through an anchor (`&name`): mend `config.yaml`, or write the value out where `*name` stands',
	client_document_url_invalid:
		'An authorization server would not take a document from such an address: use https:// with a path',
	config_invalid: 'See the line that is named, or `svc config check`',
	config_not_editable:
		'The program cannot edit a file it cannot read, or a value that others share through an anchor (`&name`): mend `config.yaml`, or write the value out where `*name` stands',
	config_refused: 'See the line that is named, or `svc config check`',
	confirmation_needed:
		'It would do more than log, call a tool that needs a yes, or open an editor, and there is no terminal: add `--yes`, or `--body-file`',
	control_unavailable: 'The control socket cannot be opened: a shorter `SVC_HOME`, or free space',
	cron_job_with_deliver_only:
		'The keys of the route exclude each other or are incomplete: keep one',
	deliver_extra_invalid: '`deliver_extra` is not a mapping',
	deliver_only_without_target: 'Set `deliver` to a real target',
	deliver_unknown: 'Enable the platform, or correct its name',
	delivery_aborted: 'The delivery is tried again; a timed-out one may have arrived',
	delivery_ambiguous:
		'Several identifiers end so: the message names the newest of them; give more characters',
	delivery_busy: 'The delivery is tried again; a timed-out one may have arrived',
	delivery_held:
		'A loop limit holds what the route sends about this subject: look what feeds it, then `svc deliveries replay ID`',
	delivery_invalid:
		'The file is no export, or holds a time more than a day ahead: the message names line and key. Nothing of a file is taken in then; of a pipe, whole batches of up to 500 lines before it',
	delivery_not_found: 'Nothing has that name: look with `list`',
	delivery_timeout: 'The delivery is tried again; a timed-out one may have arrived',
	document_changed:
		'Another gateway on the same database, or another person, changed the thing since it was read: nothing was written. Read it again',
	edit_aborted:
		'Nothing was replayed: the text was left as it was, or is not what the sender sends; then it is kept, the message says where',
	edit_invalid:
		'Nothing was replayed: the text was left as it was, or is not what the sender sends; then it is kept, the message says where',
	empty_message: 'The answer was empty: nothing was delivered',
	entry_invalid: 'The route is not served; `svc webhook list` says why',
	file_planted:
		'A file or folder that the program writes is a pipe or a device, or a link that other users may have made (see Files): look who put it there, remove it, `chmod 700` its folder',
	file_system_failed:
		'The file system refused it: the disk is full, a right is missing, or something stands in the way; the message says which path and what to do',
	file_too_large:
		'Make the file smaller, or readable or writable for your user; the message says which (also of what an editor left that is no file)',
	file_unreadable:
		'Make the file smaller, or readable or writable for your user; the message says which (also of what an editor left that is no file)',
	file_unwritable:
		'Make the file smaller, or readable or writable for your user; the message says which (also of what an editor left that is no file)',
	filter_invalid:
		'A word of `--filter` makes no sense here: the sentence says which words there are, and `svc help terminal` what they mean',
	filters_unreadable:
		'The file of `--filters-file` is neither JSON nor YAML, or has a filter with an unknown key',
	forge_client_missing: "Install the client (`forge.cli`) on the gateway's machine and PATH",
	forge_client_unusable: "Install the client (`forge.cli`) on the gateway's machine and PATH",
	forge_comment_incomplete: 'A key of the target is missing or did not render: see `deliver_extra`',
	forge_failed:
		'The code host did not take the comment, which is tried again, or did not answer `recover`: ask again later',
	forge_forbidden:
		'The client may not do that there, or there is no such pull request or repository',
	forge_not_authenticated: "Log the client in (`gh auth login`) as the gateway's user",
	forge_rate_limited:
		'The code host did not take the comment, which is tried again, or did not answer `recover`: ask again later',
	forge_rejected:
		'The client may not do that there, or there is no such pull request or repository',
	forge_target_not_found:
		'The client may not do that there, or there is no such pull request or repository',
	gateway_differs:
		'The gateway answers what this version of `svc` cannot read; the message names the command and the field: end it with `svc gateway stop` and start it again',
	gateway_failed:
		'The gateway does not answer within 5 s when it is looked for, a minute for other calls; the message names its process: see its log',
	gateway_not_running:
		'Start it with `svc`, `svc gateway` or `svc gateway run`; with `-p`, the message names the gateway that serves the profile, if one does: leave out `-p` then',
	gateway_not_started: 'See `logs/gateway.out` and `svc gateway status`',
	gateway_not_stopped: 'See `logs/gateway.out` and `svc gateway status`',
	gateway_running: 'One gateway per home; the message names its process',
	gateway_silent:
		'The gateway does not answer within 5 s when it is looked for, a minute for other calls; the message names its process: see its log',
	gateway_stopping: 'Tool servers cannot be opened while the gateway ends',
	gateway_unreadable:
		'An attached face cannot read the state of the gateway, which may be of another version: end it with `svc gateway stop` and start it again',
	group_dispatched: 'The group has become a run already',
	group_not_found: 'Nothing has that name: look with `list`',
	handler_unavailable:
		'The `svc://` scheme cannot be registered: on Linux the message says what is missing, elsewhere follow the steps that are printed',
	history_busy: 'Many searches of the history wait: try again in a moment',
	history_unreadable:
		'The database cannot be searched now, or its thread failed: the sentence says why',
	home_not_empty:
		'A restore wants an empty home: another `SVC_HOME`, or `--force`, which sets aside what is there',
	home_unusable: 'Make the folder yours, or set `SVC_HOME` to another',
	hook_ambiguous:
		'Several webhooks of the repository lead to the route, or none does: choose with `--hook`',
	hook_not_found:
		'Several webhooks of the repository lead to the route, or none does: choose with `--hook`',
	host_unavailable: 'The receiver cannot listen there; it tries again every 15 s, `r` tries now',
	insecure_not_loopback: '`INSECURE_NO_AUTH` needs `host: 127.0.0.1`',
	interrupted: 'You ended it; exit code 130',
	invalid_delivery_id: "The identifier is not one of this program's",
	job_ambiguous: 'Several jobs have that name: use the identifier',
	job_invalid: 'The entry in `cron/jobs.json` cannot be used; the message says why',
	job_not_found: 'Nothing has that name: look with `list`',
	job_refused: 'The job could never fire, or not deliver',
	jobs_broken: '`cron/jobs.json` does not parse; it is never overwritten: mend it',
	key_ambiguous: 'Several keys have that name: use the identifier',
	line_invalid:
		'The file is no export, or holds a time more than a day ahead: the message names line and key. Nothing of a file is taken in then; of a pipe, whole batches of up to 500 lines before it',
	listen_failed: 'The receiver cannot listen there; it tries again every 15 s, `r` tries now',
	lock_failed: 'Another process holds a file: try again',
	lock_timeout: 'Another process holds a file: try again',
	login_failed:
		'Nobody agreed in time, or a server refused; the message says which, and what was stored before is still there',
	login_file_unusable:
		'A file in `mcp-tokens/` is broken, too large, a link, or cannot be read or written',
	mcp_connect_failed:
		'A tool server cannot be reached as it is configured, or is no tool server; the message says what to change',
	mcp_message_too_large: 'A tool server sent a message of more than 10 MB',
	model_failed: "The model's server failed, was away or answered nonsense; the run is tried again",
	model_garbled: "The model's server failed, was away or answered nonsense; the run is tried again",
	model_misconfigured:
		'The settings under `model` do not fit together; the message says which: see `svc help model`',
	model_not_found:
		'The server has no model of that name: set `model.name` to one that it lists; see `svc help model`',
	model_not_offered:
		'That provider is not offered now, because no key for it is in the environment: see `svc help model`',
	model_refused: 'The key was not accepted',
	model_rejected: "The model's server refuses the request",
	model_unreachable:
		"The model's server failed, was away or answered nonsense; the run is tried again",
	name_invalid: 'The route is not served; `svc webhook list` says why',
	nobody_to_ask:
		'`svc open` was started without a terminal, and no gateway of this home runs: use `svc mcp install` with the link in a terminal',
	not_approved: 'A tool call was not allowed',
	not_found: 'The control API did not understand the request: see `GET /openapi.json`',
	oauth_address_refused:
		'A tool server led to an authorization server at an address nearer to this machine than its own (private, loopback, link-local)',
	overflow_with_deliver_only:
		'The keys of the route exclude each other or are incomplete: keep one',
	platform_disabled: 'Enable the platform, or correct its name',
	platform_unknown: 'Enable the platform, or correct its name',
	port_forbidden: 'The receiver cannot listen there; it tries again every 15 s, `r` tries now',
	port_in_use:
		'Another process listens on `platforms.webhook.port`: end it (`svc gateway stop`, if it is a gateway), or set another port. The receiver tries again every 15 s; `r` in the interface, where the banner says so, tries now',
	prefetch_failed:
		'The [diff or the checkout](prefetch.md) of a pull request cannot be got; it is tried again',
	profile_invalid:
		"A profile's name has a-z, 0-9, `_`, `-`; a route with an empty `profile` belongs to nobody: name one or remove the key",
	profile_not_found:
		'`-p` names a profile that has no folder: the message names the nearest one, and how to make it',
	profile_not_served: 'Set `gateway.multiplex_profiles` in the home, or run a gateway with `-p`',
	program_failed: 'The editor or pager did not run: see `$EDITOR`, `$PAGER`',
	program_not_started: 'The editor or pager did not run: see `$EDITOR`, `$PAGER`',
	program_replaced:
		'Another version of the program took the place of the one that runs, which then misses parts that it loads late. Runs wait, and go on after `svc gateway stop` and a start',
	queue_full: 'As many runs wait as `runs.max_queued` allows',
	receiver_silent:
		'The gateway does not answer within 5 s when it is looked for, a minute for other calls; the message names its process: see its log',
	regex_unsupported: 'The pattern needs what a linear-time engine cannot do: rewrite it',
	repo_unknown: 'Name the repository with `--repo OWNER/NAME`',
	rotation_refused:
		'The secret is inherited, a `${NAME}`, or made by the sender, or more than 20 earlier ones would still pass; the message says what to do',
	read_only: 'The screen was opened with `--read-only`: it changes nothing',
	route_conflict:
		'Somebody else changed the route, or made one of that name, since it was read: nothing was written. Read it again; the interface shows both',
	route_is_static: '`svc webhook test` works for dynamic routes only',
	route_not_editable:
		'The entry is no mapping, or would be a new one in `config.yaml`: edit the file by hand',
	route_not_found: 'Nothing has that name: look with `list`',
	route_not_testable:
		'The route has public keys only, or its sender signs the address that it was given: nobody here can sign for it',
	route_refused:
		'The receiver would not serve the route as it is, or serves it as it was: nothing was written; the message says what to mend',
	route_without_secret: 'Give the route or the receiver a `secret`',
	secret_inline: 'A value looks like a secret: put it into `.env` and write `${NAME}`',
	secret_invalid:
		'What follows `whsec_` or `whpk_` is not the key that it should be or is shorter than 8 bytes: copy it again; or the route has more than 20 secrets or 5 public keys',
	server_disabled: 'The tool server is switched off: `enabled: true` in `config.yaml` first',
	server_exists:
		'A tool server of that name is in `config.yaml`: remove it first or choose another name; nothing is overwritten',
	server_invalid:
		'The loader would refuse this entry, so it was not written; the message names the key',
	server_not_found: 'No tool server of that name is in `config.yaml`: see `svc mcp list`',
	setup_conflict:
		'`config.yaml` was changed since the diff was shown: nothing was written. Look at the diff again',
	setup_refused:
		'The receiver could not be served so: nothing was written; the message says what to mend',
	shadowed: 'The route is not served; `svc webhook list` says why',
	signature_invalid:
		'The `signature` of the route names no known sender or is no sound description; the message says what is wrong: see `svc help signatures`',
	signature_without_url:
		'The sender signs the address that it was given, which only the route can say: set `public_url`',
	simulation_refused: 'The settings would be refused as a route too; the message says why',
	skill_not_found: 'No folder of `skills/` has that name: see `svc skills list`',
	smtp_failed: 'The mail server is away or busy; it is tried again',
	smtp_insecure: 'A password would go over an open line: use `secure: true` or STARTTLS',
	smtp_not_authenticated: 'The mail server refuses: see `platforms.email`',
	smtp_rejected: 'The mail server refuses: see `platforms.email`',
	smtp_temporary: 'The mail server is away or busy; it is tried again',
	smtp_unreachable: 'The mail server is away or busy; it is tried again',
	snapshot_only_looks: 'A snapshot changes nothing: press that key in the interface',
	snapshot_timeout:
		'What the pane shows was not there within 10 s; the message says what was missing. Try again, or look with `svc gateway status`',
	step_limit: 'The run reached `runs.timeout_seconds` or `runs.max_steps`',
	subscription_not_found: 'Nothing has that name: look with `list`',
	subscription_refused: 'The message says what the receiver would refuse',
	subscriptions_broken:
		'`webhook_subscriptions.json` does not parse; it is never overwritten: mend it',
	target_incomplete: 'A key of the target is missing or did not render: see `deliver_extra`',
	target_invalid: 'A key of the target is missing or did not render: see `deliver_extra`',
	target_unusable: 'A key of the target is missing or did not render: see `deliver_extra`',
	tool_denied: 'The call that a person tried was not approved',
	tool_not_found: 'No tool server has a tool of that name now',
	tool_pins_unusable:
		'`cache/mcp_tool_pins.json`, which remembers how tools were defined when they were first seen, cannot be read: until it is removed and the gateway restarted, tools count as changed unless they are accepted',
	tool_timeout: 'A tried call took longer than 20 minutes',
	too_many_links:
		'Five install links wait for an answer in the interface already: answer them there (`I`), or wait ten minutes',
	topic_not_found: 'The manual has no such page and the program no such command: see `svc help`',
	unknown_url: 'The control API did not understand the request: see `GET /openapi.json`',
	webhook_not_listening: 'The receiver does not listen: see `svc gateway status`',
} as const satisfies Readonly<Record<string, string>>;

export type ErrorCode = keyof typeof errorCodes;
