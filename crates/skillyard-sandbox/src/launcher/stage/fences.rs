//! The fences that a process puts around itself before it becomes the program.

use super::call;
use super::orders::Orders;
use super::report::Step;

const NO_NEW_PRIVILEGES: usize = 38;
const PROCESSOR_TIME: u64 = 0;
const PATH_ONLY: usize = 0o12_000_000;
const INVALID: i32 = 22;

/// Puts all fences up; the order matters, because each one takes away what an earlier one needs.
pub(super) fn put_up(orders: &Orders) -> Result<(), (Step, i32)> {
    let header = &orders.header;
    if header.new_privileges == 0 {
        call::control(NO_NEW_PRIVILEGES, 1).map_err(|error| (Step::Privileges, error))?;
    }
    for pair in orders.list(header.limits).chunks_exact(2) {
        if let [resource, value] = pair {
            limit(*resource, *value).map_err(|error| (Step::Limit, error))?;
        }
    }
    let directory = orders.string(header.directory.into());
    call::enter(directory).map_err(|error| (Step::Directory, error))?;
    if header.handled != 0 {
        restrict(orders).map_err(|error| (Step::Files, error))?;
    }
    let filter = orders.list(header.filter);
    if !filter.is_empty() {
        call::filter(filter).map_err(|error| (Step::SystemCalls, error))?;
    }
    Ok(())
}

/// Sets a limit for good, or keeps a lower one that is there already.
fn limit(resource: u64, value: u64) -> Result<(), i32> {
    let number = usize::try_from(resource).map_err(|_| INVALID)?;
    let [_, most] = call::limits(0, number)?;
    let value = value.min(most);
    // The first signal about processor time says what it is about, the last one only kills.
    let last = match resource {
        PROCESSOR_TIME => most.min(value.saturating_add(1)),
        _ => value,
    };
    call::set_limits(0, number, [value, last])?;
    Ok(())
}

/// Lets the process use the files of the rules and no others.
fn restrict(orders: &Orders) -> Result<(), i32> {
    let header = &orders.header;
    let rules = call::new_rules(header.handled, header.scoped)?;
    for pair in orders.list(header.rules).chunks_exact(2) {
        let [rights, path] = pair else { continue };
        // What is not there need not be allowed.
        let Ok(file) = call::open(orders.string(*path), PATH_ONLY) else {
            continue;
        };
        let mut added = call::add_rule(rules, *rights, file);
        let left = rights & header.of_files;
        if added == Err(INVALID) && left != 0 {
            // It is no folder: some rights make no sense for it.
            added = call::add_rule(rules, left, file);
        }
        call::close(file);
        added?;
    }
    call::restrict(rules)?;
    call::close(rules);
    Ok(())
}
